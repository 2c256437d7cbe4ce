import * as c from '../codecs';
import { DOCUMENT_BYTES, hardLimits, type Limits, BATCH_NODES } from '../limits';
import {
  aboutBand,
  band,
  bandLimits,
  bandWithLimit,
  limitsNamed,
  overallLimits,
  RELATIVE_FULLSCALE,
  RELATIVE_OVERALL,
  SHOWN_NAME,
  thresholdNamed,
  type BandAsWritten,
  type BandLimit,
  type BandThresholdName,
  type LimitName,
} from './band';
import { hal } from './hal';
import { AlarmLimits, fallingLimits } from './alarm-limits';
import { Status, statusMeanings } from '../alarm/status';

const choice = (limits: Limits) =>
  c.object(
    'Choice',
    {
      answer: c.described(
        c.text(limits.textLength),
        'The answer, unique among the choices; a measurement must match it exactly.',
      ),
      status: c.described(Status, `The status that this answer sets: ${statusMeanings}.`),
    },
    { instruction: c.described(c.text(limits.textLength), 'What the inspector should do then; text for people.') },
  );

const inspectionShape = (limits: Limits) =>
  c.object('Inspection', {
    choices: c.described(c.array(choice(limits), limits.choices), 'The answers to choose from.'),
  });

export type Inspection = c.TypeOf<ReturnType<typeof inspectionShape>>;

export const inspection = (limits: Limits): c.Codec<Inspection> =>
  c.refine(inspectionShape(limits), ({ choices }) =>
    choices.flatMap(({ answer }, index) => {
      const isRepeated = choices.findIndex((other) => other.answer === answer) < index;
      return c.reasonIf(isRepeated, `choices.${index}.answer`, 'must be unique among the choices');
    }),
  );

/** The values of `thresholdType`; docs/contributing/decisions.md, "names of threshold types". */
const thresholdTypes = { NONE: 0, OVERALL_IN_WINDOW: 1, OVERALL_OUT_OF_WINDOW: 2, INSPECTION: 3 } as const;
export const { NONE, OVERALL_IN_WINDOW, OVERALL_OUT_OF_WINDOW, INSPECTION } = thresholdTypes;

export const ThresholdType = c.described(
  c.named('ThresholdType', thresholdTypes),
  '0 NONE; 1 OVERALL_IN_WINDOW: alarms inside of the limits; 2 OVERALL_OUT_OF_WINDOW: DANGER outside of the inner limits by default, ALERT exactly on them; 3 INSPECTION. 1 and 2 need `overall`, 3 needs `inspection`.',
);
export type ThresholdType = c.TypeOf<typeof ThresholdType>;

/** The kinds of alarm that a threshold combines. All are optional. */
const kinds = <B>(limits: Limits, bandAlarm: c.Codec<B>) => ({
  thresholdType: ThresholdType,
  overall: c.described(
    AlarmLimits,
    'The limits of data points; they must rise, and 0 is a limit. Needs `thresholdType` 1 or 2.',
  ),
  rateOfChange: c.described(
    AlarmLimits,
    'The limits of the rate of change that a measurement carries, rated as by `thresholdType` 2; its unit is yours to choose.',
  ),
  inspection: c.described(inspection(limits), 'A question to an inspector.'),
  bandAlarms: c.described(c.array(bandAlarm, limits.bands), 'Alarms on the energy of frequency bands of a spectrum.'),
  halAlarms: c.described(
    c.array(hal(limits), limits.hals),
    'Harmonic alarms: on faults that repeat with the turning shaft.',
  ),
  fullScale: c.described(c.positive, 'The base of band limits of `valueType` 2, in their unit; greater than 0.'),
});

export const origin = (limits: Limits) => {
  const name = c.text(limits.textLength);
  return c.described(
    c.object('Origin', {
      id: c.described(name, 'The id of the threshold where it comes from.'),
      type: c.described(name, 'The kind of thing that it comes from, such as a template.'),
      provider: c.described(name, 'The system that it comes from.'),
    }),
    'Where the threshold comes from: kept with its event, not shown by GET.',
  );
};
export type Origin = c.TypeOf<ReturnType<typeof origin>>;

const inPath = c.described(c.uuid, 'The node; must equal the one of the path.');

const inputShape = (limits: Limits) =>
  c.partial('AlarmThreshold', { nodeId: inPath, ...kinds(limits, band(limits)), origin: origin(limits) });

export type ThresholdInput = c.TypeOf<ReturnType<typeof inputShape>>;

/** A threshold as callers may write it: the limits of a band are named `overallAlarmThreshold` or `overallThreshold`. */
export interface ThresholdAsWritten extends Omit<ThresholdInput, 'bandAlarms'> {
  readonly bandAlarms?: ReadonlyArray<BandAsWritten>;
}

export type Threshold = Omit<ThresholdInput, 'nodeId' | 'origin'>;

/** A threshold as PUT takes it. All rules between its members hold, and it has at most `DOCUMENT_BYTES` as JSON. */
export const thresholdInput = (limits: Limits): c.Codec<ThresholdInput> =>
  c.refine(c.withSchemaNotes(inputShape(limits), c.alwaysRule({ allOf: consistency })), consistent);

/**
 * A threshold inside a node, or the result of a patch. It has no member `origin`. The rules between its members are those of
 * PUT, but its sizes are checked against the limits of every node only. The lower limits of an API are checked elsewhere.
 */
export const storedThreshold: c.Codec<Omit<ThresholdInput, 'origin'>> = c.refine(
  c.partial('AlarmThreshold', { nodeId: c.uuid, ...kinds(hardLimits, band(hardLimits)) }),
  consistent,
);

function consistent(threshold: ThresholdInput, given: unknown): c.Reasons {
  return [...typeMatches(threshold), ...limitsOfBands(threshold, given as ThresholdAsWritten), ...fits(threshold)];
}

const isType = (...types: ReadonlyArray<ThresholdType>): c.JsonSchema =>
  c.requiredMember('thresholdType', { enum: types });
const bandLimitNames = ['upperAlert', 'upperDanger'] as const;
const base = (
  valueType: BandLimit['valueType'],
  then: (name: LimitName) => c.JsonSchema,
): ReadonlyArray<c.JsonSchema> =>
  bandLimitNames.map((name) => ({
    if: c.requiredMember('bandAlarms', { type: 'array', contains: bandWithLimit(name, valueType) }),
    then: then(name),
  }));

/**
 * Those rules of `consistent` that a JSON Schema can state. It cannot state the order of a band's limits, nor the greatest size
 * in bytes.
 */
const consistency: ReadonlyArray<c.JsonSchema> = [
  {
    if: isType(OVERALL_IN_WINDOW, OVERALL_OUT_OF_WINDOW),
    then: c.requiredMember('overall', { type: 'object' }),
    else: c.forbiddenMember('overall'),
  },
  { if: isType(INSPECTION), then: c.requiredMember('inspection', { type: 'object' }) },
  ...base(RELATIVE_FULLSCALE, () => c.requiredMember('fullScale', c.finite.schema)),
  ...base(RELATIVE_OVERALL, (name) =>
    c.requiredMember('overall', { type: 'object', ...c.requiredMember(overallLimits[name], c.finite.schema) }),
  ),
];

const typeMatches = ({ thresholdType: type, overall, inspection: choices }: ThresholdInput): c.Reasons => {
  const needsOverall = type === OVERALL_IN_WINDOW || type === OVERALL_OUT_OF_WINDOW;
  const lacksChoices = type === INSPECTION && choices === undefined;
  return [
    ...c.reasonIf(!needsOverall && overall !== undefined, 'thresholdType', 'must be 1 or 2 with overall'),
    ...c.reasonIf(needsOverall && overall === undefined, 'overall', `is required by thresholdType ${type}`),
    ...c.reasonIf(lacksChoices, 'inspection', 'is required by thresholdType 3'),
  ];
};

/** Faults of bands' limits: a missing base, or a danger limit below the alert limit. Names are those that the caller used. */
const limitsOfBands = (threshold: ThresholdInput, given: ThresholdAsWritten): c.Reasons =>
  (threshold.bandAlarms ?? []).flatMap(({ overallAlarmThreshold: limits = {} }, index) => {
    const isOtherName = given.bandAlarms?.[index]?.overallThreshold != null;
    const place = `bandAlarms.${index}.${isOtherName ? 'overallThreshold' : SHOWN_NAME}`;
    const withoutBase = bandLimitNames.flatMap((name) => {
      const base = missingBase(name, limits[name], threshold);
      return c.reasonIf(base !== '', `${place}.${name}`, `is relative to ${base}, which is not given`);
    });
    return withoutBase.length > 0
      ? withoutBase
      : fallingLimits(`${place}.upperDanger.value`, bandLimits(limits, threshold), limits.upperDanger?.value);
  });

const missingBase = (name: LimitName, limit: BandLimit | undefined, { fullScale, overall }: ThresholdInput) => {
  if (limit?.valueType === RELATIVE_FULLSCALE && fullScale === undefined) return 'fullScale';
  const overallLimit = overallLimits[name];
  return limit?.valueType === RELATIVE_OVERALL && overall?.[overallLimit] === undefined
    ? `overall.${overallLimit}`
    : '';
};

/** The fault of too many bytes. Bands' limits always count under their shorter name, so that renaming does not matter. */
const fits = ({ nodeId: _, origin: __, ...threshold }: ThresholdInput): c.Reasons =>
  c.tooLarge('', thresholdNamed('overallThreshold', threshold), DOCUMENT_BYTES);

const viewOf = <B>(bandAlarm: c.Codec<B>) =>
  c.object('AlarmThreshold', { nodeId: c.described(c.uuid, 'The node, in lower case.') }, kinds(hardLimits, bandAlarm));

/** A threshold as clients read it. The limits of its bands may have either name, and become `overallAlarmThreshold`. */
export const ThresholdView = viewOf(band(hardLimits));
export type ThresholdView = c.TypeOf<typeof ThresholdView>;

export const thresholdView = (nodeId: string, threshold: Threshold): ThresholdView => ({ nodeId, ...threshold });

/** A threshold exactly as GET and the events show it. The limits of its bands have the name `name`. */
export const thresholdViewNaming = (name: BandThresholdName) =>
  viewOf(c.partial('BandAlarm', { ...aboutBand(hardLimits), ...limitsNamed(name) }));

/** The answer to a batch: thresholds in the order of the request. */
export const thresholdsOf = <T>(threshold: c.Codec<T>) =>
  c.object('AlarmThresholds', {
    thresholds: c.described(c.array(threshold, BATCH_NODES), 'In the order and number of `nodeIDs`.'),
  });
