import { finite, object, oneOf, refine, text, type Codec, type Reason, type TypeOf } from '../codecs';
import { UNIT_LENGTH, type Limits } from '../limits';
import type { BandThresholdName } from './band-name';

/** How an edge is given: in Hz, or as a multiple of the shaft's speed. */
export const FIXED = 1;
export const SPEED_MULTIPLE = 2;

/** How a band's limit is given: as it is, as a share of full scale, as a multiple of the overall limit of its degree. */
export const ABSOLUTE = 1;
export const RELATIVE_FULLSCALE = 2;
export const RELATIVE_OVERALL = 3;

export const Edge = object('frequency', { value: finite, valueType: oneOf('edge type', [FIXED, SPEED_MULTIPLE]) }, {});
const bandLimit = object(
  'band limit',
  { value: finite, valueType: oneOf('limit type', [ABSOLUTE, RELATIVE_FULLSCALE, RELATIVE_OVERALL]) },
  {},
);
export const BandLimits = object(
  'overall threshold',
  {},
  { unit: text(UNIT_LENGTH), upperAlert: bandLimit, upperDanger: bandLimit },
);

export type Edge = TypeOf<typeof Edge>;
export type BandLimit = TypeOf<typeof bandLimit>;
export type BandLimits = TypeOf<typeof BandLimits>;

export interface Band {
  readonly label?: string;
  readonly minFrequency?: Edge;
  readonly maxFrequency?: Edge;
  readonly overallThreshold?: BandLimits;
}

const wire = (limits: Limits) =>
  object(
    'band alarm',
    {},
    {
      label: text(limits.textLength),
      minFrequency: Edge,
      maxFrequency: Edge,
      overallThreshold: BandLimits,
      overallAlarmThreshold: BandLimits,
    },
  );

/** A band alarm from outside: its limits go by either name (`bandThresholdNames`), never by both. */
export type WireBand = TypeOf<ReturnType<typeof wire>>;

export const wireBand = (limits: Limits): Codec<WireBand> =>
  refine(wire(limits), (given) => [...bothNames(given), ...falling(given)]);

/** The band alarm that `given` stands for. */
export const bandOf = ({ overallAlarmThreshold, ...rest }: WireBand): Band =>
  overallAlarmThreshold === undefined ? rest : { ...rest, overallThreshold: overallAlarmThreshold };

/** The name by which a band calls its limits. */
export const limitsNameIn = ({ overallThreshold }: WireBand): BandThresholdName =>
  overallThreshold === undefined ? 'overallAlarmThreshold' : 'overallThreshold';

const bothNames = (given: WireBand): ReadonlyArray<Reason> =>
  given.overallThreshold !== undefined && given.overallAlarmThreshold !== undefined
    ? [{ name: 'overallAlarmThreshold', reason: 'must not be given together with overallThreshold, which it is' }]
    : [];

const falling = ({ minFrequency: min, maxFrequency: max, ...given }: WireBand): ReadonlyArray<Reason> => {
  const limitsName = limitsNameIn(given);
  const { upperAlert: alert, upperDanger: danger } = given[limitsName] ?? {};
  return [
    ...fall('maxFrequency.value', 'minFrequency', min, max),
    ...fall(`${limitsName}.upperDanger.value`, 'upperAlert', alert, danger),
  ];
};

interface Typed {
  readonly value: number;
  readonly valueType: number;
}

/** Two values of one type can be compared before anything was measured. */
const fall = (name: string, lowName: string, low?: Typed, high?: Typed): ReadonlyArray<Reason> =>
  low !== undefined && high !== undefined && low.valueType === high.valueType && low.value > high.value
    ? [{ name, reason: `must not be below ${lowName} (${low.value})` }]
    : [];
