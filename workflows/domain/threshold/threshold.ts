import {
  absent,
  array,
  described,
  jsonBytes,
  mapped,
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
import { DOCUMENT_BYTES, hardLimits, type Limits } from '../limits';
import {
  bandOf,
  bandWithLimit,
  limitsNameIn,
  RELATIVE_FULLSCALE,
  RELATIVE_OVERALL,
  wireBand,
  type Band,
  type BandLimit,
} from './band';
import { hal } from './hal';
import { inspection } from './inspection';
import { AlarmLimits } from './limits';
import { bandLimits, fallingLimits } from './upper-limits';

/** The values of `thresholdType`; docs/decisions.md, "names of threshold types". */
export const NONE = 0;
export const OVERALL_IN_WINDOW = 1;
export const OVERALL_OUT_OF_WINDOW = 2;
export const INSPECTION = 3;

export const ThresholdType = described(
  oneOf('threshold type', [NONE, OVERALL_IN_WINDOW, OVERALL_OUT_OF_WINDOW, INSPECTION] as const),
  '0 NONE; 1 OVERALL_IN_WINDOW: alarms inside of the limits; 2 OVERALL_OUT_OF_WINDOW: alarms outside of them; 3 INSPECTION. 1 and 2 need `overall`, 3 needs `inspection`.',
);
export type ThresholdType = TypeOf<typeof ThresholdType>;

/** The kinds of alarm that a threshold combines; what was not given is absent. Bands have a shape of their own in each view. */
export const kinds = <B>(limits: Limits, bandAlarm: Codec<B>) => ({
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

const wire = (limits: Limits) =>
  object('alarm threshold', {}, { nodeId: inPath, ...kinds(limits, wireBand(limits)), origin: origin(limits) });

/** A threshold whose bands are as callers sent them. */
type WireThreshold = TypeOf<ReturnType<typeof wire>>;

/** A threshold as callers send it. */
export interface ThresholdInput extends Omit<WireThreshold, 'bandAlarms'> {
  readonly bandAlarms?: ReadonlyArray<Band>;
}

/** A node's threshold. */
export type Threshold = Omit<ThresholdInput, 'nodeId' | 'origin'>;

/** What a node that never got a threshold reads. */
export const noThreshold: Threshold = { thresholdType: NONE };

/** A threshold as PUT takes it: every kind, every rule between its fields, at most 128 KiB as JSON. */
export const thresholdInput = (limits: Limits): Codec<ThresholdInput> =>
  mapped(refine(ruled(wire(limits), consistency), consistent), inputOf);

/** A threshold inside a node, or as a patch left it: PUT's rules, without an origin. */
export const storedThreshold: Codec<Omit<ThresholdInput, 'origin'>> = mapped(
  refine(object('alarm threshold', {}, { nodeId: uuid, ...kinds(hardLimits, wireBand(hardLimits)) }), consistent),
  inputOf,
);

function inputOf({ bandAlarms, ...rest }: WireThreshold): ThresholdInput {
  return bandAlarms === undefined ? rest : { ...rest, bandAlarms: bandAlarms.map(bandOf) };
}

function consistent(threshold: WireThreshold): ReadonlyArray<Reason> {
  return [...typeMatches(threshold), ...limitsOfBands(threshold), ...fits(inputOf(threshold))];
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

const typeMatches = ({ thresholdType: type, overall, inspection: choices }: WireThreshold): ReadonlyArray<Reason> => {
  const needsOverall = type === OVERALL_IN_WINDOW || type === OVERALL_OUT_OF_WINDOW;
  if (needsOverall && overall === undefined)
    return [{ name: 'overall', reason: `is required by thresholdType ${type}` }];
  if (!needsOverall && overall !== undefined) return [{ name: 'thresholdType', reason: 'must be 1 or 2 with overall' }];
  if (type === INSPECTION && choices === undefined)
    return [{ name: 'inspection', reason: 'is required by thresholdType 3' }];
  return [];
};

/** Relative limits have their base, and what they come to does not fall. */
const limitsOfBands = (threshold: WireThreshold): ReadonlyArray<Reason> =>
  (threshold.bandAlarms ?? []).flatMap((band, index) => {
    const limitsName = limitsNameIn(band);
    const { upperAlert, upperDanger } = band[limitsName] ?? {};
    const name = `bandAlarms.${index}.${limitsName}`;
    const withoutBase = [
      ...baseOf(`${name}.upperAlert`, upperAlert, threshold, 'innerHigh'),
      ...baseOf(`${name}.upperDanger`, upperDanger, threshold, 'outerHigh'),
    ];
    return withoutBase.length > 0
      ? withoutBase
      : fallingLimits(`${name}.upperDanger.value`, bandLimits(band[limitsName], threshold), upperDanger?.value);
  });

const baseOf = (
  name: string,
  limit: BandLimit | undefined,
  { fullScale, overall }: WireThreshold,
  overallLimit: 'innerHigh' | 'outerHigh',
): ReadonlyArray<Reason> => {
  if (limit?.valueType === RELATIVE_FULLSCALE && fullScale === undefined)
    return [{ name, reason: 'is relative to fullScale, which is not given' }];
  if (limit?.valueType === RELATIVE_OVERALL && overall?.[overallLimit] === undefined)
    return [{ name, reason: `is relative to overall.${overallLimit}, which is not given` }];
  return [];
};

/** Measured as the node keeps it: what fits once can be patched, and carried on, for ever. */
const fits = ({ nodeId: _, origin: __, ...threshold }: ThresholdInput): ReadonlyArray<Reason> =>
  jsonBytes(threshold) > DOCUMENT_BYTES
    ? [{ name: '', reason: `must be at most ${DOCUMENT_BYTES} bytes as JSON` }]
    : [];
