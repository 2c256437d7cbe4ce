import * as E from 'fp-ts/Either';
import { amplitudesOf, lineCount, positionsOf } from '../../measurement/packed-lines';
import type { Spectrum, WindowFunction } from '../../measurement/spectrum';

/** The lines of a spectrum, in the order of their frequencies (Hz), which rise. */
export interface Lines extends Window {
  readonly hz: Readonly<Float64Array>;
  readonly amplitudes: Readonly<Float64Array>;
  /** Distance from line to line in Hz; the mean, if lines are not evenly spaced. */
  readonly spacing: number;
  readonly even: boolean;
  readonly shaftHz: number;
}

/** Converts the lines of a spectrum to Hz, or returns why there are none. */
export const linesInHz = ({ lines, speed, xUnit, windowFunction }: Spectrum): E.Either<string, Lines> => {
  if (lines === undefined || lineCount(lines) === 0) return E.left('the spectrum has no lines');
  const shaftHz = speed / 60;
  const scale = hertzPer(xUnit, shaftHz);
  if (scale === undefined) return E.left(`the x unit ${xUnit} is not understood`);
  if (scale === 0) return E.left('the speed is 0');
  const hz = positionsOf(lines).map((x) => x * scale);
  const spacing = (hzAt({ hz }, hz.length - 1) - hzAt({ hz }, 0)) / (hz.length - 1);
  const even = 'step' in lines;
  return E.right({ hz, amplitudes: amplitudesOf(lines), spacing, even, shaftHz, ...windowOf(windowFunction) });
};

/** The frequency of line `index`; NaN beyond either end. */
export const hzAt = ({ hz }: Pick<Lines, 'hz'>, index: number): number => hz[index] ?? NaN;

/** The amplitude of line `index`; 0 beyond either end. */
export const amplitudeAt = ({ amplitudes }: Lines, index: number): number => valueAt(amplitudes, index);

/** The value at `index`; 0 beyond either end. The check comes first: one read beyond an end slows down all later reads. */
export const valueAt = (values: Readonly<Float64Array>, index: number): number =>
  index >= 0 && index < values.length ? (values[index] ?? 0) : 0;

/** The index of the first line at or above `hz`; the number of lines if there is none. */
export const firstLineFrom = (lines: Lines, hz: number): number => {
  let low = 0;
  let high = lines.hz.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hzAt(lines, middle) < hz) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const lineNearest = (lines: Lines, hz: number): number => {
  const above = firstLineFrom(lines, hz);
  return above > 0 && !(hzAt(lines, above) - hz < hz - hzAt(lines, above - 1)) ? above - 1 : above;
};

/** For each known unit of a spectrum's x (lower case, no blanks): how many Hz it is, or `orders` (multiples of shaft speed). */
const units: Readonly<Record<string, number | 'orders'>> = {
  hz: 1,
  hertz: 1,
  '1/s': 1,
  cps: 1,
  khz: 1_000,
  kilohertz: 1_000,
  cpm: 1 / 60,
  rpm: 1 / 60,
  '1/min': 1 / 60,
  'r/min': 1 / 60,
  'rev/min': 1 / 60,
  kcpm: 1_000 / 60,
  order: 'orders',
  orders: 'orders',
};

/** How many Hz one `unit` of x has, at a shaft speed of `shaftHz`; undefined for an unknown unit. */
const hertzPer = (unit: string, shaftHz: number): number | undefined => {
  const spelling = unit.replace(/\s/gu, '').toLowerCase();
  const hertz = Object.hasOwn(units, spelling) ? units[spelling] : undefined;
  return hertz === 'orders' ? shaftHz : hertz;
};

interface Window {
  /** Equivalent noise bandwidth in lines: the factor by which the window overstates the energy of noise, and of a tone. */
  readonly noiseBandwidth: number;
  /** Half the width of a tone's main lobe, in lines; for a rectangular window with the next lobe, which is just 13 dB lower. */
  readonly lobe: number;
}

/**
 * What a window does to the lines of a spectrum whose amplitudes are corrected for it.
 *
 * Source: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc. IEEE 66
 *         (1978); flat top: the five terms of ISO 18431-2. A test computes each bandwidth from the window's terms.
 */
const windows: Readonly<Record<WindowFunction, Window>> = {
  rectangular: { noiseBandwidth: 1, lobe: 2 },
  hann: { noiseBandwidth: 1.5, lobe: 2 },
  hamming: { noiseBandwidth: 1.3628, lobe: 2 },
  blackman: { noiseBandwidth: 1.7268, lobe: 3 },
  flattop: { noiseBandwidth: 3.7702, lobe: 5 },
  'blackman-harris': { noiseBandwidth: 2.0044, lobe: 4 },
};

/** The window of this name. Without a name, the energy is not corrected, and a tone counts as wide as with a Hann window. */
export const windowOf = (name: WindowFunction | undefined): Window =>
  name === undefined ? { noiseBandwidth: 1, lobe: 2 } : windows[name];
