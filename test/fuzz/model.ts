/**
 * What a client may expect of a node, in as few words as possible: thresholds of limits and of inspections, measurements,
 * external alarms. It shares nothing with the service.
 */
export interface Model {
  threshold: ModelThreshold | undefined;
  revision: number;
  point: { readonly id: string; readonly y: number } | undefined;
  answers: { readonly id: string; readonly given: ReadonlyArray<string> } | undefined;
  external: { readonly status: number; readonly setBy?: string } | undefined;
  /** Parts as last rated, by name. */
  parts: Readonly<Record<string, ModelPart>>;
  readonly events: ModelEvent[];
}

export interface ModelThreshold {
  readonly thresholdType: number;
  readonly overall?: Limits;
  readonly inspection?: { readonly choices: ReadonlyArray<{ readonly answer: string; readonly status: number }> };
}

export interface Limits {
  readonly unit: string;
  readonly outerLow: number;
  readonly innerLow: number;
  readonly innerHigh: number;
  readonly outerHigh: number;
}

interface ModelPart {
  readonly status: number;
  readonly triggeringMeasurement?: string;
}

/** An event, without what only time can tell. */
export type ModelEvent = Readonly<Record<string, unknown>>;

export const newModel = (): Model => ({
  threshold: undefined,
  revision: 0,
  point: undefined,
  answers: undefined,
  external: undefined,
  parts: {},
  events: [],
});

const GOOD = 2;
const ALERT = 3;
const DANGER = 4;
const NO_DATA = 1;

/** The regions of the specification's table; where limits coincide, the worse label. */
const rateLimits = (type: number, y: number, { outerLow, innerLow, innerHigh, outerHigh }: Limits): number => {
  if (type === 2 && y === outerHigh) return DANGER;
  if (y === innerHigh || y === innerLow) return ALERT;
  if (type === 2) return y > innerLow && y < innerHigh ? GOOD : DANGER;
  return y > innerHigh || y < outerLow ? GOOD : DANGER;
};

const worstAnswered = (
  choices: NonNullable<ModelThreshold['inspection']>['choices'],
  given: ReadonlyArray<string>,
): number => {
  const answered = choices.filter(({ answer }) => given.includes(answer)).map(({ status }) => status);
  return answered.length === 0 ? NO_DATA : Math.max(...answered);
};

const rated = ({ threshold, point, answers }: Model): Model['parts'] => {
  const { thresholdType = 0, overall, inspection } = threshold ?? {};
  return {
    ...(overall !== undefined && {
      overallAlarm:
        point === undefined
          ? { status: NO_DATA }
          : { status: rateLimits(thresholdType, point.y, overall), triggeringMeasurement: point.id },
    }),
    ...(inspection !== undefined && {
      inspectionAlarm:
        answers === undefined
          ? { status: NO_DATA }
          : {
              status: worstAnswered(inspection.choices, answers.given),
              triggeringMeasurement: answers.id,
            },
    }),
  };
};

export const partsOf = ({ parts, external }: Model): Readonly<Record<string, ModelPart>> => ({
  ...parts,
  ...(external !== undefined && { externalAlarm: external }),
});

export const statusOf = (model: Model): number =>
  Object.values(partsOf(model)).reduce((worst, { status }) => Math.max(worst, status), 0);

export const thresholdOf = ({ threshold }: Model): ModelThreshold => threshold ?? { thresholdType: 0 };

/** Changes a model, and tells the status event that follows. */
const updated = (model: Model, userId: string, change: () => void): void => {
  const statuses = (): string =>
    JSON.stringify(
      Object.entries(partsOf(model))
        .map(([name, { status }]) => [name, status])
        .sort(),
    );
  const before = statuses();
  change();
  if (before === '[]' && statuses() === '[]') return;
  const alarmsChanged = before !== statuses();
  model.events.push({ userId, alarmStatus: statusOf(model), alarmsChanged, ...partsOf(model) });
};

export const setModelThreshold = (model: Model, userId: string, threshold: ModelThreshold): void => {
  model.threshold = threshold;
  model.revision += 1;
  model.events.push({ userId, revision: model.revision, thresholdType: threshold.thresholdType, threshold });
  updated(model, userId, () => (model.parts = rated(model)));
};

export const measure = (model: Model, userId: string, measured: Partial<Pick<Model, 'point' | 'answers'>>): void =>
  updated(model, userId, () => {
    Object.assign(model, measured);
    model.parts = rated(model);
  });

export const recalculateModel = (model: Model, userId: string): void =>
  updated(model, userId, () => (model.parts = rated(model)));

export const setModelExternal = (model: Model, userId: string, external: NonNullable<Model['external']>): void =>
  updated(model, userId, () => (model.external = external));
