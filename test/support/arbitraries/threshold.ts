import { fc } from '@fast-check/vitest';
import { finite, isRecord, jsonBytes, positive, text, type Codec } from '../../../workflows/domain/codecs';
import { DOCUMENT_BYTES, hardLimits, UNIT_LENGTH } from '../../../workflows/domain/limits';
import { Status } from '../../../workflows/domain/alarm/status';
import {
  ABSOLUTE,
  FIXED,
  RELATIVE_FULLSCALE,
  RELATIVE_OVERALL,
  SPEED_MULTIPLE,
  type Band,
  type BandLimits,
  bandLimits,
} from '../../../workflows/domain/threshold/band';
import { hal, type Hal } from '../../../workflows/domain/threshold/hal';
import { type Inspection, thresholdInput, type Threshold } from '../../../workflows/domain/threshold/threshold';
import { type AlarmLimits, fallingLimits } from '../../../workflows/domain/threshold/alarm-limits';
import { decodedBy, fromSchema, lists, mostly, ofCodec, repeated } from './from-schema';

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

const choices = fc
  .uniqueArray(fc.tuple(label, some({ instruction: label }), ofCodec(Status)), {
    maxLength: 4,
    selector: ([answer]) => answer,
  })
  .map((given) => given.map(([answer, about, status]) => ({ answer, status, ...about })));

/** As many as a threshold may hold, told apart by a number in front. */
const allChoices = choices
  .filter(({ length }) => length > 0)
  .map((some) =>
    repeated(some, hardLimits.choices).map((choice, index) => ({
      ...choice,
      answer: `${index} ${choice.answer}`.slice(0, hardLimits.textLength),
    })),
  );

const inspections: fc.Arbitrary<Inspection> = mostly(choices, allChoices, 14).map((given) => ({ choices: given }));

type Typed<T> = { readonly value: number; readonly valueType: T };

const typed = <T extends number>(types: ReadonlyArray<T>): fc.Arbitrary<Typed<T>> =>
  fc.record({ value: number, valueType: fc.constantFrom(...types) }, { noNullPrototype: true });

/** Two edges, neither, or one of them; of one type they do not fall. */
const edges = some({ low: typed([FIXED, SPEED_MULTIPLE]), high: typed([FIXED, SPEED_MULTIPLE]) }).map(
  ({ low, high }) => ({
    ...(low !== undefined && { minFrequency: low }),
    ...(high !== undefined && {
      maxFrequency: low?.valueType === high.valueType ? { ...high, value: Math.max(low.value, high.value) } : high,
    }),
  }),
);

/** Bands whose relative limits have a base where the threshold has one. */
const bandsOn = (threshold: Threshold): fc.Arbitrary<Band> => {
  const { fullScale, overall } = threshold;
  const based = overall?.innerHigh !== undefined && overall.outerHigh !== undefined;
  const types: ReadonlyArray<1 | 2 | 3> = [
    ABSOLUTE,
    ...(fullScale === undefined ? [] : ([RELATIVE_FULLSCALE] as const)),
    ...(based ? ([RELATIVE_OVERALL] as const) : []),
  ];
  const limits: fc.Arbitrary<BandLimits> = some({ unit, upperAlert: typed(types), upperDanger: typed(types) }).map(
    ({ upperAlert, ...others }) =>
      // Limits that fall, each times its base, are refused: the alert is left out there.
      upperAlert === undefined || fallingLimits('', bandLimits({ upperAlert, ...others }, threshold)).length > 0
        ? others
        : { upperAlert, ...others },
  );
  return fc
    .tuple(some({ label, overallAlarmThreshold: limits }), edges)
    .map(([about, given]) => ({ ...about, ...given }));
};

/** Labels that name a frequency, which few texts do. */
const meaningful = fc.constantFrom(undefined, 'BPFO', 'BPFI 6205', 'FTF', 'bsf', '1x', '2.5 x RPM', '17 TOOTH');

const hals: fc.Arbitrary<Hal> = decodedBy(
  hal(hardLimits),
  fc.tuple(fromSchema(hal(hardLimits).schema), number, number, meaningful).map(([given, one, other, named]) =>
    isRecord(given)
      ? {
          ...given,
          ...(named !== undefined && { label: named }),
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
      halAlarms: lists(hals, hardLimits.hals),
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

/** `threshold`, its lists cut from the end where it has more bytes than a threshold may have. */
const fitting = (threshold: Threshold): Threshold => {
  let excess = jsonBytes(threshold) - DOCUMENT_BYTES;
  const cut = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => {
    const left = [...list];
    while (excess > 0 && left.length > 0) excess -= jsonBytes(left.pop());
    return left;
  };
  const { halAlarms, bandAlarms, inspection } = threshold;
  return {
    ...threshold,
    ...(halAlarms !== undefined && { halAlarms: cut(halAlarms) }),
    ...(bandAlarms !== undefined && { bandAlarms: cut(bandAlarms) }),
    ...(inspection !== undefined && { inspection: { choices: cut(inspection.choices) } }),
  };
};

/** Thresholds of every kind and combination of kinds, as they are kept; some as large as they may be. */
export const thresholds: fc.Arbitrary<Threshold> = withoutBands
  .chain((kinds) =>
    fc
      .option(lists(bandsOn(kinds), hardLimits.bands), { nil: undefined })
      .map((bandAlarms) => (bandAlarms === undefined ? kinds : { ...kinds, bandAlarms })),
  )
  .map(fitting);

export const ThresholdInput: Codec<Threshold> = thresholdInput(hardLimits);
