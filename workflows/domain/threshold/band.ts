import * as c from '../codecs';
import { UNIT_LENGTH, type Limits } from '../limits';
import type { AlarmLimits, UpperLimits } from './alarm-limits';

/** How an edge is given: in Hz, or as a multiple of the shaft's speed. */
const edgeTypes = { FIXED: 1, SPEED_MULTIPLE: 2 } as const;
export const { FIXED, SPEED_MULTIPLE } = edgeTypes;

/** How a band's limit is given: absolute, as a share of full scale, or as a multiple of an overall limit. */
const limitTypes = { ABSOLUTE: 1, RELATIVE_FULLSCALE: 2, RELATIVE_OVERALL: 3 } as const;
export const { ABSOLUTE, RELATIVE_FULLSCALE, RELATIVE_OVERALL } = limitTypes;

/** The overall limit of which each limit of a band may be a multiple. */
export const overallLimits = { upperAlert: 'innerHigh', upperDanger: 'outerHigh' } as const;
export type LimitName = keyof typeof overallLimits;

/** What a relative limit is a share or multiple of, in words; empty for an absolute limit. */
export const baseText = (type: BandLimit['valueType'] | undefined): string => {
  if (type === RELATIVE_FULLSCALE) return 'of full scale';
  return type === RELATIVE_OVERALL ? 'of overall' : '';
};

const Edge = c.object('BandEdge', {
  value: c.described(c.finite, 'The frequency: Hz, or multiples of the shaft speed, by `valueType`.'),
  valueType: c.described(
    c.named('EdgeType', edgeTypes),
    '1 FIXED: Hz; 2 SPEED_MULTIPLE: multiples of the shaft speed that the spectrum states.',
  ),
});
export const edges = {
  minFrequency: c.described(Edge, 'The lower edge, which belongs to the band. Absent: 0 Hz.'),
  maxFrequency: c.described(Edge, "The upper edge, which belongs to the band. Absent: the spectrum's end."),
};
const bandLimit = c.object('BandLimit', {
  value: c.described(c.finite, 'The limit: an amplitude, or a share of its base, by `valueType`.'),
  valueType: c.described(
    c.named('LimitType', limitTypes),
    '1 ABSOLUTE: in `unit`; 2 RELATIVE_FULLSCALE: times `fullScale`; 3 RELATIVE_OVERALL: times `overall.innerHigh` for an alert, `overall.outerHigh` for a danger limit.',
  ),
});
const BandLimits = c.partial('BandLimits', {
  unit: c.described(
    c.text(UNIT_LENGTH),
    "The unit of the limits: a label. They are compared in the spectrum's `yUnit`.",
  ),
  upperAlert: c.described(bandLimit, 'From this value on ALERT.'),
  upperDanger: c.described(bandLimit, 'From this value on DANGER; not below `upperAlert`, each times its base.'),
});

/** The members of a band besides its limits. */
export const aboutBand = (limits: Limits) => ({
  label: c.described(c.text(limits.textLength), 'A name for people; it may repeat.'),
  ...edges,
});

export const limitsNamed = <const Name extends BandThresholdName>(name: Name, about = '') =>
  ({
    [name]: c.described(BandLimits, `The limits of the energy in the band. Absent: GOOD once it is computed.${about}`),
  }) as Readonly<Record<Name, typeof BandLimits>>;

export type Edge = c.TypeOf<typeof Edge>;
export type BandLimit = c.TypeOf<typeof bandLimit>;
export type BandLimits = c.TypeOf<typeof BandLimits>;

const eitherName = (limits: Limits) =>
  c.partial('BandAlarm', {
    ...aboutBand(limits),
    ...limitsNamed('overallThreshold', ' Another name of `overallAlarmThreshold`: send one of them, never both.'),
    ...limitsNamed('overallAlarmThreshold', ' This is the name in answers, unless the operator chose the other.'),
  });

/** A band alarm as callers write it. Its limits have one of two names (`bandThresholdNames`), never both. */
export type BandAsWritten = c.TypeOf<ReturnType<typeof eitherName>>;

/** A band alarm inside the service, where its limits have only one name. */
export type Band = Omit<BandAsWritten, 'overallThreshold'>;

export const band = (limits: Limits): c.Codec<Band> =>
  c.mapped(
    c.refine(
      c.withSchemaNotes(eitherName(limits), c.alwaysRule({ anyOf: bandThresholdNames.map(c.forbiddenMember) })),
      (given) => [...bothNames(given), ...falling(given)],
    ),
    ({ overallThreshold, ...rest }) =>
      overallThreshold === undefined ? rest : { ...rest, overallAlarmThreshold: overallThreshold },
  );

/** The schema of a band that has the limit `name`, given as `valueType` says. */
export const bandWithLimit = (name: LimitName, valueType: BandLimit['valueType']): c.JsonSchema => {
  const limit = { type: 'object', ...c.requiredMember('valueType', { const: valueType }) };
  const limits = { type: 'object', ...c.requiredMember(name, limit) };
  return { type: 'object', anyOf: bandThresholdNames.map((limitsName) => c.requiredMember(limitsName, limits)) };
};

const bothNames = (given: BandAsWritten): c.Reasons =>
  c.reasonIf(
    given.overallThreshold !== undefined && given.overallAlarmThreshold !== undefined,
    'overallAlarmThreshold',
    'must not be given together with overallThreshold, which it is',
  );

/** The fault of a band whose upper edge is below the lower. Edges of two types can be compared only when a spectrum comes. */
const falling = ({ minFrequency: min, maxFrequency: max }: BandAsWritten): c.Reasons =>
  min !== undefined && max !== undefined && min.valueType === max.valueType
    ? c.reasonIf(min.value > max.value, 'maxFrequency.value', `must not be below minFrequency (${min.value})`)
    : [];

/** What the relative limits of a band are multiplied by. */
type Bases = { readonly fullScale?: number; readonly overall?: AlarmLimits };

/** The limits of a band as they are compared with its value: a relative limit is multiplied by its base. */
export const bandLimits = ({ upperAlert, upperDanger }: BandLimits = {}, bases: Bases): UpperLimits => ({
  ...(upperAlert !== undefined && { upperAlert: limitOf('upperAlert', upperAlert, bases) }),
  ...(upperDanger !== undefined && { upperDanger: limitOf('upperDanger', upperDanger, bases) }),
});

/** The limits for rating a band. An infinite product counts as 0, because a limit that is never reached hides faults. */
export const ratedLimits = (limits: BandLimits | undefined, bases: Bases): UpperLimits => {
  const { upperAlert, upperDanger } = bandLimits(limits, bases);
  return {
    ...(upperAlert !== undefined && { upperAlert: finite(upperAlert) }),
    ...(upperDanger !== undefined && { upperDanger: finite(upperDanger) }),
  };
};

const finite = (limit: number): number => (Number.isFinite(limit) ? limit : 0);

/** A limit, times its base if it is relative. The codec refuses a missing base; here it counts as 0, so that no fault hides. */
const limitOf = (name: LimitName, { value, valueType }: BandLimit, { fullScale, overall }: Bases): number => {
  if (valueType === ABSOLUTE) return value;
  const base = valueType === RELATIVE_FULLSCALE ? fullScale : overall?.[overallLimits[name]];
  return value * (base ?? 0);
};

/** The names of a band's limits outside the service. Answers have the first name unless the operator chose the second. */
export const bandThresholdNames = ['overallAlarmThreshold', 'overallThreshold'] as const;
export type BandThresholdName = (typeof bandThresholdNames)[number];

/** The name inside the service (docs/contributing/decisions.md, "name of a band's overall alarm threshold"). */
export const SHOWN_NAME: BandThresholdName = 'overallAlarmThreshold';

/** Gives the limits of a threshold's bands the name `name`. A value that is no threshold is left as it is. */
export const thresholdNamed = (name: BandThresholdName, threshold: unknown): unknown =>
  c.isRecord(threshold) && Object.hasOwn(threshold, 'bandAlarms')
    ? { ...threshold, bandAlarms: bandsNamed(name, threshold['bandAlarms']) }
    : threshold;

export const bandsNamed = (name: BandThresholdName, bands: unknown): unknown =>
  Array.isArray(bands) ? bands.map((band: unknown) => bandNamed(name, band)) : bands;

/** Gives the limits of a band the name `name`. A band with both names is left as it is: the codec refuses it. */
export const bandNamed = (name: BandThresholdName, band: unknown): unknown => {
  if (!c.isRecord(band) || Object.hasOwn(band, name)) return band;
  return Object.fromEntries(Object.entries(band).map(([key, value]) => [isBandName(key) ? name : key, value]));
};

const isBandName = (key: string): boolean => bandThresholdNames.some((name) => name === key);
