import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import * as c from '../codecs';
import { hardLimits, UNIT_LENGTH, type Limits } from '../limits';
import { lineCount, packedAmplitudes, packedPlaces, packLines, positionsOf, type PackedLines } from './packed-lines';

/** The window functions whose noise bandwidth the service knows. */
export const windowFunctions = ['rectangular', 'hann', 'hamming', 'blackman', 'flattop', 'blackman-harris'] as const;
export type WindowFunction = (typeof windowFunctions)[number];

const about = {
  speed: c.described(c.notNegative, 'Shaft speed during the measurement (rpm), 0 or greater.'),
  xUnit: c.described(
    c.text(UNIT_LENGTH),
    'The unit of `x`: Hz, kHz, CPM, rpm or orders; docs/bands.md lists the spellings.',
  ),
  yUnit: c.described(c.text(UNIT_LENGTH), 'The unit of `y`: a label, nothing is converted.'),
};
const windowFunction = c.described(
  c.oneOf('WindowFunction', windowFunctions),
  'The window of the transform: its noise bandwidth corrects the energy of bands. Absent: no correction.',
);
const coordinate = c.object('SpectrumLine', {
  x: c.described(
    c.notNegative,
    'Frequency of the line, in `xUnit`, 0 or greater; greater than that of the line before.',
  ),
  y: c.described(c.notNegative, 'Amplitude of the line, in `yUnit`, 0 or greater.'),
});
type Coordinate = c.TypeOf<typeof coordinate>;

/**
 * Whether `input` has exactly the members of a line, with values that decoding would not change. Other input may still be a
 * valid line, such as one with -0, so the codec decides on it.
 */
const isCoordinate = (input: unknown): input is Coordinate =>
  c.isRecord(input) && isKept(input['x']) && isKept(input['y']) && Object.keys(input).length === 2;
/** Whether `c.notNegative` would accept `input` unchanged. That codec would take 1.5 times as long for a large spectrum. */
const isKept = (input: unknown): boolean =>
  typeof input === 'number' && input >= 0 && Number.isFinite(input) && !Object.is(input, -0); // the codec turns -0 into 0

/** If all lines are valid, they are taken as they are, because to decode each line takes as long as to parse it. */
const coordinatesIn = ({ spectrumLines }: Limits): c.Codec<ReadonlyArray<Coordinate>> => {
  const lines = c.array(coordinate, spectrumLines);
  return c.codec(lines.name, lines.schema, (input, context) =>
    Array.isArray(input) && input.length <= spectrumLines && input.every(isCoordinate)
      ? t.success(input)
      : lines.validate(input, context),
  );
};
const wire = (limits: Limits) =>
  c.object('Spectrum', about, {
    windowFunction,
    coordinates: c.described(coordinatesIn(limits), 'The lines, one-sided, x rising.'),
  });

/** A spectrum as callers send it: `speed` in rpm, lines as coordinates whose x rises. */
export type WireSpectrum = c.TypeOf<ReturnType<typeof wire>>;

export const spectrumInput = (limits: Limits): c.Codec<Spectrum> =>
  c.chained(wire(limits), ({ coordinates, ...rest }): E.Either<c.Reasons, Spectrum> => {
    if (coordinates === undefined) return E.right(rest);
    const places = coordinates.map(({ x }) => x);
    const sent = unsorted(places, nameOfLine);
    if (sent.length > 0) return E.left(sent);
    const lines = packLines(coordinates);
    const packed = 'x' in lines ? unsorted(positionsOf(lines), nameOfLine) : []; // rounded to ten digits, places may be equal
    return packed.length > 0 ? E.left(packed) : E.right({ ...rest, lines });
  });

const nameOfLine = (index: number): string => `coordinates.${index}.x`;

const unsorted = (x: ArrayLike<number>, nameOf: (index: number) => string): c.Reasons => {
  const faults: c.Reason[] = [];
  for (let index = 1; index < x.length; index += 1) {
    const [before = NaN, value = NaN] = [x[index - 1], x[index]];
    if (value <= before)
      faults.push({ name: nameOf(index), reason: `must be greater than the one before (${before})` });
  }
  return faults;
};

const evenLines = c.refine(
  c.object('evenly spaced lines', { start: c.notNegative, step: c.notNegative, y: packedAmplitudes }),
  (lines) => c.reasonIf(lines.step <= 0 && lineCount(lines) > 1, 'step', 'must be greater than 0'),
);
const unevenLines = c.refine(c.object('lines', { x: packedPlaces, y: packedAmplitudes }), (lines) => {
  const positions = positionsOf(lines);
  const isUnequal = positions.length !== lineCount(lines);
  return [
    ...c.reasonIf(isUnequal, 'y', 'must have as many items as x'),
    ...unsorted(positions, (index) => `x.${index}`),
  ];
});

const packedLines: c.Codec<PackedLines> = c.codec('lines', {}, (input, context): t.Validation<PackedLines> => {
  const isEven = c.isRecord(input) && 'step' in input;
  return (isEven ? evenLines : unevenLines).validate(input, context);
});
const packedSpectrum = c.object('spectrum', about, { windowFunction, lines: packedLines });

/** A one-sided amplitude spectrum with packed lines. `lines` is absent if the caller sent none. */
export type Spectrum = c.TypeOf<typeof packedSpectrum>;

/** A spectrum as a node keeps it. The API sends it packed; another Temporal client may send it as callers write it. */
export const storedSpectrum: c.Codec<Spectrum> = c.codec('spectrum', {}, (input, context): t.Validation<Spectrum> => {
  if (typeof input !== 'object' || input === null || !('lines' in input)) {
    return spectrumInput(hardLimits).validate(input, context);
  }
  return 'coordinates' in input
    ? t.failure(input, c.contextBelow(context, 'lines'), 'must not be given together with coordinates')
    : packedSpectrum.validate(input, context);
});
