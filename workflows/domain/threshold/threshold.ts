import {
  absent,
  array,
  described,
  jsonBytes,
  object,
  oneOf,
  positive,
  present,
  refine,
  ruled,
  text,
  uuid,
  type Codec,
  type JsonSchema,
  type Reason,
  type TypeOf,
} from '../codecs';
import { DOCUMENT_BYTES, hardLimits, type Limits, BATCH_NODES } from '../limits';
import {
  aboutBand,
  band,
  bandLimits,
  bandWithLimit,
  limitsNamed,
  RELATIVE_FULLSCALE,
  RELATIVE_OVERALL,
  SHOWN_NAME,
  thresholdNamed,
  type BandAsWritten,
  type BandLimit,
  type BandThresholdName,
} from './band';
import { hal } from './hal';
import { AlarmLimits, fallingLimits } from './alarm-limits';
import { Status, statusMeanings } from '../alarm/status';

const choice = (limits: Limits) =>
  object(
    'choice',
    {
      answer: described(
        text(limits.textLength),
        'The answer, unique among the choices; a measurement must match it exactly.',
      ),
      status: described(Status, `The status that this answer sets: ${statusMeanings}.`),
    },
    { instruction: described(text(limits.textLength), 'What the inspector should do then; text for people.') },
  );

const inspectionShape = (limits: Limits) =>
  object(
    'inspection',
    { choices: described(array(choice(limits), limits.choices), 'The answers to choose from.') },
    {},
  );

export type Inspection = TypeOf<ReturnType<typeof inspectionShape>>;

/** The answers to choose from, each with the status that choosing it sets. */
export const inspection = (limits: Limits): Codec<Inspection> =>
  refine(inspectionShape(limits), ({ choices }) =>
    choices.flatMap(({ answer }, index) =>
      choices.findIndex((other) => other.answer === answer) < index
        ? [{ name: `choices.${index}.answer`, reason: 'must be unique among the choices' }]
        : [],
    ),
  );

/** The values of `thresholdType`; docs/decisions.md, "names of threshold types". */
const NONE = 0;
export const OVERALL_IN_WINDOW = 1;
const OVERALL_OUT_OF_WINDOW = 2;
const INSPECTION = 3;

export const ThresholdType = described(
  oneOf('threshold type', [NONE, OVERALL_IN_WINDOW, OVERALL_OUT_OF_WINDOW, INSPECTION] as const),
  '0 NONE; 1 OVERALL_IN_WINDOW: alarms inside of the limits; 2 OVERALL_OUT_OF_WINDOW: alarms outside of them; 3 INSPECTION. 1 and 2 need `overall`, 3 needs `inspection`.',
);
export type ThresholdType = TypeOf<typeof ThresholdType>;

/** The kinds of alarm that a threshold combines; what was not given is absent. */
const kinds = <B>(limits: Limits, bandAlarm: Codec<B>) => ({
  thresholdType: ThresholdType,
  overall: described(
    AlarmLimits,
    'The limits of data points; they must rise, and 0 is a limit. Needs `thresholdType` 1 or 2.',
  ),
  rateOfChange: described(
    AlarmLimits,
    'The limits of the rate of change that a measurement carries, rated as by `thresholdType` 2; its unit is yours to choose.',
  ),
  inspection: described(inspection(limits), 'A question to an inspector.'),
  bandAlarms: described(array(bandAlarm, limits.bands), 'Alarms on the energy of frequency bands of a spectrum.'),
  halAlarms: described(
    array(hal(limits), limits.hals),
    'Harmonic alarms: on faults that repeat with the turning shaft.',
  ),
  fullScale: described(positive, 'The base of band limits of `valueType` 2, in their unit; greater than 0.'),
});

/** Where a threshold came from; carried on the event, not shown by GET. */
export const origin = (limits: Limits) => {
  const name = text(limits.textLength);
  return described(
    object(
      'origin',
      {
        id: described(name, 'The id of the threshold where it comes from.'),
        type: described(name, 'The kind of thing that it comes from, such as a template.'),
        provider: described(name, 'The system that it comes from.'),
      },
      {},
    ),
    'Where the threshold comes from: kept with its event, not shown by GET.',
  );
};
export type Origin = TypeOf<ReturnType<typeof origin>>;

const inPath = described(uuid, 'The node; must equal the one of the path.');

const inputShape = (limits: Limits) =>
  object('alarm threshold', {}, { nodeId: inPath, ...kinds(limits, band(limits)), origin: origin(limits) });

/** A threshold as callers send it. */
export type ThresholdInput = TypeOf<ReturnType<typeof inputShape>>;

/** The same as callers may write it: the limits of bands go by either name. */
export interface ThresholdAsWritten extends Omit<ThresholdInput, 'bandAlarms'> {
  readonly bandAlarms?: ReadonlyArray<BandAsWritten>;
}

/** A node's threshold. */
export type Threshold = Omit<ThresholdInput, 'nodeId' | 'origin'>;

/** What a node that never got a threshold reads. */
export const noThreshold: Threshold = { thresholdType: NONE };

/** A threshold as PUT takes it: every kind, every rule between its fields, at most 128 KiB as JSON. */
export const thresholdInput = (limits: Limits): Codec<ThresholdInput> =>
  refine(ruled(inputShape(limits), consistency), consistent);

/** A threshold inside a node, or as a patch left it: PUT's rules, without an origin. */
export const storedThreshold: Codec<Omit<ThresholdInput, 'origin'>> = refine(
  object('alarm threshold', {}, { nodeId: uuid, ...kinds(hardLimits, band(hardLimits)) }),
  consistent,
);

function consistent(threshold: ThresholdInput, given: unknown): ReadonlyArray<Reason> {
  return [...typeMatches(threshold), ...limitsOfBands(threshold, given as ThresholdAsWritten), ...fits(threshold)];
}

const isType = (...types: ReadonlyArray<ThresholdType>): JsonSchema => present('thresholdType', { enum: types });
const base = (
  limit: 'upperAlert' | 'upperDanger',
  valueType: BandLimit['valueType'],
  then: JsonSchema,
): JsonSchema => ({
  if: present('bandAlarms', { type: 'array', contains: bandWithLimit(limit, valueType) }),
  then,
});
const fullScale = present('fullScale', { type: 'number' });
const overallLimit = (name: 'innerHigh' | 'outerHigh'): JsonSchema =>
  present('overall', { type: 'object', ...present(name, { type: 'number' }) });

/** What a schema can state of `consistent`: all but the bytes. */
const consistency: ReadonlyArray<JsonSchema> = [
  {
    if: isType(OVERALL_IN_WINDOW, OVERALL_OUT_OF_WINDOW),
    then: present('overall', { type: 'object' }),
    else: absent('overall'),
  },
  { if: isType(INSPECTION), then: present('inspection', { type: 'object' }) },
  base('upperAlert', RELATIVE_FULLSCALE, fullScale),
  base('upperDanger', RELATIVE_FULLSCALE, fullScale),
  base('upperAlert', RELATIVE_OVERALL, overallLimit('innerHigh')),
  base('upperDanger', RELATIVE_OVERALL, overallLimit('outerHigh')),
];

const typeMatches = ({ thresholdType: type, overall, inspection: choices }: ThresholdInput): ReadonlyArray<Reason> => {
  const needsOverall = type === OVERALL_IN_WINDOW || type === OVERALL_OUT_OF_WINDOW;
  if (needsOverall && overall === undefined)
    return [{ name: 'overall', reason: `is required by thresholdType ${type}` }];
  if (!needsOverall && overall !== undefined) return [{ name: 'thresholdType', reason: 'must be 1 or 2 with overall' }];
  if (type === INSPECTION && choices === undefined)
    return [{ name: 'inspection', reason: 'is required by thresholdType 3' }];
  return [];
};

/** Relative limits have their base, and what they come to does not fall. Faults are told by the name that the caller used. */
const limitsOfBands = (threshold: ThresholdInput, given: ThresholdAsWritten): ReadonlyArray<Reason> =>
  (threshold.bandAlarms ?? []).flatMap(({ overallAlarmThreshold: limits }, index) => {
    const { upperAlert, upperDanger } = limits ?? {};
    const isOtherName = given.bandAlarms?.[index]?.overallThreshold != null;
    const name = `bandAlarms.${index}.${isOtherName ? 'overallThreshold' : SHOWN_NAME}`;
    const withoutBase = [
      ...baseOf(`${name}.upperAlert`, upperAlert, threshold, 'innerHigh'),
      ...baseOf(`${name}.upperDanger`, upperDanger, threshold, 'outerHigh'),
    ];
    return withoutBase.length > 0
      ? withoutBase
      : fallingLimits(`${name}.upperDanger.value`, bandLimits(limits, threshold), upperDanger?.value);
  });

const baseOf = (
  name: string,
  limit: BandLimit | undefined,
  { fullScale, overall }: ThresholdInput,
  overallLimit: 'innerHigh' | 'outerHigh',
): ReadonlyArray<Reason> => {
  if (limit?.valueType === RELATIVE_FULLSCALE && fullScale === undefined)
    return [{ name, reason: 'is relative to fullScale, which is not given' }];
  if (limit?.valueType === RELATIVE_OVERALL && overall?.[overallLimit] === undefined)
    return [{ name, reason: `is relative to overall.${overallLimit}, which is not given` }];
  return [];
};

/** Measured with the shorter name of bands' limits, whichever was given: what fits once can be patched, and carried on, for ever. */
const fits = ({ nodeId: _, origin: __, ...threshold }: ThresholdInput): ReadonlyArray<Reason> =>
  jsonBytes(thresholdNamed('overallThreshold', threshold)) > DOCUMENT_BYTES
    ? [{ name: '', reason: `must be at most ${DOCUMENT_BYTES} bytes as JSON` }]
    : [];

const viewOf = <B>(bandAlarm: Codec<B>) =>
  object('AlarmThreshold', { nodeId: described(uuid, 'The node, in lower case.') }, kinds(hardLimits, bandAlarm));

/** A threshold as it is read: the limits of its bands may go by either name, and are `overallAlarmThreshold` then. */
export const ThresholdView = viewOf(band(hardLimits));
export type ThresholdView = TypeOf<typeof ThresholdView>;

/** `threshold` of the node `nodeId` in GET's shape. */
export const thresholdView = (nodeId: string, threshold: Threshold): ThresholdView => ({ nodeId, ...threshold });

/** A threshold just as GET and the events show it, the limits of its bands under `name`. */
export const thresholdViewNaming = (name: BandThresholdName) =>
  viewOf(object('band alarm', {}, { ...aboutBand(hardLimits), ...limitsNamed(name) }));

const thresholdsOf = <T>(threshold: Codec<T>) =>
  object(
    'AlarmThresholds',
    { thresholds: described(array(threshold, BATCH_NODES), 'In the order and number of `nodeIDs`.') },
    {},
  );

/** Thresholds in the order in which they were asked for, as they are read. */
export const ThresholdsView = thresholdsOf(ThresholdView);

/** The same just as the batch shows them, the limits of bands under `name`. */
export const thresholdsViewNaming = (name: BandThresholdName) => thresholdsOf(thresholdViewNaming(name));
