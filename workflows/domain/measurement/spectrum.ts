import * as t from 'io-ts';
import {
  below,
  codec,
  described,
  fault,
  isNotNegative,
  isRecord,
  mapped,
  notNegative,
  object,
  oneOf,
  array,
  refine,
  text,
  type Codec,
  type Reason,
  type TypeOf,
} from '../codecs';
import { hardLimits, UNIT_LENGTH, type Limits } from '../limits';
import { lineCount, packedAmplitudes, packedPlaces, packLines, positionsOf, type PackedLines } from './packed-lines';

/** The windows whose noise bandwidth is known. */
export const windowFunctions = ['rectangular', 'hann', 'hamming', 'blackman', 'flattop', 'blackman-harris'] as const;
export type WindowFunction = (typeof windowFunctions)[number];

/** A one-sided amplitude spectrum, its lines packed; `lines` is absent when none were sent. */
export interface Spectrum {
  readonly speed: number;
  readonly xUnit: string;
  readonly yUnit: string;
  readonly windowFunction?: WindowFunction;
  readonly lines?: PackedLines;
}

const about = {
  speed: described(notNegative, 'Shaft speed during the measurement (rpm), 0 or greater.'),
  xUnit: described(
    text(UNIT_LENGTH),
    'The unit of `x`: Hz, kHz, CPM, rpm or orders; docs/bands.md lists the spellings.',
  ),
  yUnit: described(text(UNIT_LENGTH), 'The unit of `y`: a label, nothing is converted.'),
};
const windowFunction = described(
  oneOf('window function', windowFunctions),
  'The window of the transform: its noise bandwidth corrects the energy of bands. Absent: no correction.',
);
const coordinate = object(
  'line',
  {
    x: described(notNegative, 'Frequency of the line, in `xUnit`, 0 or greater; greater than that of the line before.'),
    y: described(notNegative, 'Amplitude of the line, in `yUnit`, 0 or greater.'),
  },
  {},
);
type Coordinate = TypeOf<typeof coordinate>;

/** Whether `input` is a line and nothing else, and decodes to itself; what does not may still be one for its codec. */
const isCoordinate = (input: unknown): input is Coordinate =>
  isRecord(input) && isKept(input['x']) && isKept(input['y']) && Object.keys(input).length === 2;
const isKept = (input: unknown): boolean => isNotNegative(input) && !Object.is(input, -0); // -0 becomes 0

/** Lines that are all in order are taken as they are: to decode each takes as long as parsing them. */
const coordinatesIn = ({ spectrumLines }: Limits): Codec<ReadonlyArray<Coordinate>> => {
  const lines = array(coordinate, spectrumLines);
  return codec(lines.name, lines.schema, (input, context) =>
    Array.isArray(input) && input.length <= spectrumLines && input.every(isCoordinate)
      ? t.success(input)
      : lines.validate(input, context),
  );
};
const wire = (limits: Limits) =>
  object('spectrum', about, {
    windowFunction,
    coordinates: described(coordinatesIn(limits), 'The lines, one-sided, x rising.'),
  });

/** What callers send: `speed` in rpm, lines as coordinates whose x rises. */
export type WireSpectrum = TypeOf<ReturnType<typeof wire>>;

/** A spectrum as callers send it. */
export const spectrumInput = (limits: Limits): Codec<Spectrum> =>
  refine(
    mapped(
      refine(wire(limits), ({ coordinates = [] }) =>
        unsorted(
          coordinates.map(({ x }) => x),
          nameOfLine,
        ),
      ),
      ({ coordinates, ...rest }): Spectrum =>
        coordinates === undefined ? rest : { ...rest, lines: packLines(coordinates) },
    ),
    // Lines that ten digits cannot distinguish.
    ({ lines }) => (lines !== undefined && 'x' in lines ? unsorted(positionsOf(lines), nameOfLine) : []),
  );

const nameOfLine = (index: number): string => `coordinates.${index}.x`;

const unsorted = (x: ArrayLike<number>, nameOf: (index: number) => string): ReadonlyArray<Reason> => {
  const faults: Reason[] = [];
  for (let index = 1; index < x.length; index += 1) {
    const [before = NaN, value = NaN] = [x[index - 1], x[index]];
    if (value <= before)
      faults.push({ name: nameOf(index), reason: `must be greater than the one before (${before})` });
  }
  return faults;
};

const evenLines = refine(
  object('evenly spaced lines', { start: notNegative, step: notNegative, y: packedAmplitudes }, {}),
  (lines) => (lines.step > 0 || lineCount(lines) < 2 ? [] : [{ name: 'step', reason: 'must be greater than 0' }]),
);
const unevenLines = refine(object('lines', { x: packedPlaces, y: packedAmplitudes }, {}), (lines) => {
  const positions = positionsOf(lines);
  const asMany = positions.length === lineCount(lines) ? [] : [{ name: 'y', reason: 'must have as many items as x' }];
  return [...asMany, ...unsorted(positions, (index) => `x.${index}`)];
});

const packedLines: Codec<PackedLines> = codec('lines', {}, (input, context): t.Validation<PackedLines> => {
  const isEven = isRecord(input) && 'step' in input;
  return (isEven ? evenLines : unevenLines).validate(input, context);
});
const packedSpectrum: Codec<Spectrum> = object('spectrum', about, { windowFunction, lines: packedLines });

/** A spectrum as it travels to a node and is kept there: packed, or from another Temporal client as callers write it. */
export const storedSpectrum: Codec<Spectrum> = codec('spectrum', {}, (input, context): t.Validation<Spectrum> => {
  if (typeof input !== 'object' || input === null || !('lines' in input)) {
    return spectrumInput(hardLimits).validate(input, context);
  }
  return 'coordinates' in input
    ? t.failures([fault(input, below(context, 'lines'), 'must not be given together with coordinates')])
    : packedSpectrum.validate(input, context);
});
