import { fc } from '@fast-check/vitest';
import { finite, isRecord, positive, text, type Codec } from '../../workflows/domain/codecs';
import { hardLimits, UNIT_LENGTH } from '../../workflows/domain/limits';
import { Status } from '../../workflows/domain/status';
import {
  ABSOLUTE,
  FIXED,
  RELATIVE_FULLSCALE,
  RELATIVE_OVERALL,
  SPEED_MULTIPLE,
  type Band,
  type BandLimits,
} from '../../workflows/domain/threshold/band';
import { hal, type Hal } from '../../workflows/domain/threshold/hal';
import type { Inspection } from '../../workflows/domain/threshold/inspection';
import type { AlarmLimits } from '../../workflows/domain/threshold/limits';
import { thresholdInput, type Threshold } from '../../workflows/domain/threshold/threshold';
import { decodedBy, fromSchema, ofCodec } from './from-schema';

const label = ofCodec(text(hardLimits.textLength));
const unit = ofCodec(text(UNIT_LENGTH));
const number = ofCodec(finite);

/** What is made of `members`, some of which are left out. */
const some = <A>(members: { [K in keyof A]: fc.Arbitrary<A[K]> }) =>
  fc.record<A, never>(members, { requiredKeys: [], noNullPrototype: true });

const limitNames = ['outerLow', 'innerLow', 'innerHigh', 'outerHigh'] as const;

/** Limits that rise, some of them absent, some of them equal. */
export const limitsThatRise: fc.Arbitrary<AlarmLimits> = fc
  .record({
    names: fc.subarray([...limitNames]),
    values: fc.array(number, { minLength: 4, maxLength: 4 }),
    about: some({ unit }),
  })
  .map(({ names, values, about }) => {
    const rising = [...values].sort((a, b) => a - b);
    return { ...about, ...Object.fromEntries(names.map((name, index) => [name, rising[index]])) };
  });

/** All four limits, each above the one before. */
export const strictLimits: fc.Arbitrary<Required<Omit<AlarmLimits, 'unit'>>> = fc
  .uniqueArray(number, { minLength: 4, maxLength: 4 })
  .map((values) => {
    const [outerLow = 0, innerLow = 0, innerHigh = 0, outerHigh = 0] = [...values].sort((a, b) => a - b);
    return { outerLow, innerLow, innerHigh, outerHigh };
  });

const inspections: fc.Arbitrary<Inspection> = fc
  .uniqueArray(fc.tuple(label, some({ instruction: label }), ofCodec(Status)), {
    maxLength: 4,
    selector: ([answer]) => answer,
  })
  .map((choices) => ({ choices: choices.map(([answer, about, status]) => ({ answer, status, ...about })) }));

interface Typed<T> {
  readonly value: number;
  readonly valueType: T;
}

/** Two values, neither, or one of them; of one type they do not fall. */
const pair = <T extends number>(
  types: ReadonlyArray<T>,
): fc.Arbitrary<{ readonly low?: Typed<T>; readonly high?: Typed<T> }> => {
  const typed = fc.record({ value: number, valueType: fc.constantFrom(...types) }, { noNullPrototype: true });
  return some({ low: typed, high: typed }).map(({ low, high }) => ({
    ...(low !== undefined && { low }),
    ...(high !== undefined && {
      high: low?.valueType === high.valueType ? { ...high, value: Math.max(low.value, high.value) } : high,
    }),
  }));
};

/** Bands whose relative limits have a base where the threshold has one. */
const bandsOn = ({ fullScale, overall }: Threshold): fc.Arbitrary<Band> => {
  const based = overall?.innerHigh !== undefined && overall.outerHigh !== undefined;
  const types: ReadonlyArray<1 | 2 | 3> = [
    ABSOLUTE,
    ...(fullScale === undefined ? [] : ([RELATIVE_FULLSCALE] as const)),
    ...(based ? ([RELATIVE_OVERALL] as const) : []),
  ];
  const limits: fc.Arbitrary<BandLimits> = fc.tuple(some({ unit }), pair(types)).map(([about, { low, high }]) => ({
    ...about,
    ...(low !== undefined && { upperAlert: low }),
    ...(high !== undefined && { upperDanger: high }),
  }));
  return fc
    .tuple(some({ label, overallThreshold: limits }), pair([FIXED, SPEED_MULTIPLE]))
    .map(([about, { low, high }]) => ({
      ...about,
      ...(low !== undefined && { minFrequency: low }),
      ...(high !== undefined && { maxFrequency: high }),
    }));
};

const hals: fc.Arbitrary<Hal> = decodedBy(
  hal(hardLimits),
  fc.tuple(fromSchema(hal(hardLimits).schema), number, number).map(([given, one, other]) =>
    isRecord(given)
      ? {
          ...given,
          ...('upperAlert' in given && { upperAlert: Math.min(one, other) }),
          ...('upperDanger' in given && { upperDanger: Math.max(one, other) }),
        }
      : given,
  ),
);

const withoutBands: fc.Arbitrary<Threshold> = fc
  .tuple(
    some({
      overall: limitsThatRise,
      rateOfChange: limitsThatRise,
      inspection: inspections,
      halAlarms: fc.array(hals, { maxLength: 3 }),
      fullScale: ofCodec(positive),
    }),
    fc.constantFrom<1 | 2>(1, 2),
    fc.constantFrom<0 | 3 | undefined>(0, 3, undefined),
  )
  .map(([kinds, ofOverall, ofOthers]) => {
    if (kinds.overall !== undefined) return { ...kinds, thresholdType: ofOverall };
    return ofOthers === undefined || (ofOthers === 3 && kinds.inspection === undefined)
      ? kinds
      : { ...kinds, thresholdType: ofOthers };
  });

/** Thresholds of every kind and combination of kinds, as they are kept. */
export const thresholds: fc.Arbitrary<Threshold> = withoutBands.chain((kinds) =>
  fc
    .option(fc.array(bandsOn(kinds), { maxLength: 3 }), { nil: undefined })
    .map((bandAlarms) => (bandAlarms === undefined ? kinds : { ...kinds, bandAlarms })),
);

/** The codec of thresholds from outside. */
export const ThresholdInput: Codec<Threshold> = thresholdInput(hardLimits);
