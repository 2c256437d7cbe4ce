import type { WindowFunction } from '../../../workflows/domain/measurement/spectrum';

/** The cosine terms of each window, signs included: `w(n) = sum of a_k cos(2 pi k n / N)`. */
export const windowTerms: Readonly<Record<WindowFunction, ReadonlyArray<number>>> = {
  rectangular: [1],
  hann: [0.5, -0.5],
  hamming: [0.54, -0.46],
  blackman: [0.42, -0.5, 0.08],
  flattop: [0.21557895, -0.41663158, 0.277263158, -0.083578947, 0.006947368],
  'blackman-harris': [0.35875, -0.48829, 0.14128, -0.01168],
};

/** The window's weight at `n` of `length`. */
export const weight = (name: WindowFunction, n: number, length: number): number =>
  windowTerms[name].reduce((sum, term, k) => sum + term * Math.cos((2 * Math.PI * k * n) / length), 0);

/**
 * The one-sided spectrum of `signal`: the effective value of a tone on each line, corrected for the window.
 *
 * The length of the signal is a power of 2; the spectrum has half as many lines, from 0 Hz.
 */
export const amplitudesOf = (
  signal: ReadonlyArray<number> | Float64Array,
  name: WindowFunction,
): ReadonlyArray<number> => {
  const { length } = signal;
  const re = Float64Array.from(signal, (value, n) => value * weight(name, n, length));
  const im = new Float64Array(length);
  transform(re, im);
  const gain = (Math.SQRT2 / length) * (1 / (windowTerms[name][0] ?? 1));
  return Array.from({ length: length / 2 }, (_, line) => {
    const magnitude = Math.hypot(re[line] ?? 0, im[line] ?? 0) * gain;
    return line === 0 ? magnitude / Math.SQRT2 : magnitude;
  });
};

/** The discrete Fourier transform in place: bits reversed, then butterflies of ever longer spans. */
const transform = (re: Float64Array, im: Float64Array): void => {
  const { length } = re;
  for (let from = 1, to = 0; from < length; from += 1) {
    let bit = length >>> 1;
    for (; (to & bit) !== 0; bit >>>= 1) to ^= bit;
    to ^= bit;
    if (from < to) {
      swap(re, from, to);
      swap(im, from, to);
    }
  }
  for (let span = 2; span <= length; span *= 2) {
    for (let k = 0; k < span / 2; k += 1) {
      const [c, s] = [Math.cos((-2 * Math.PI * k) / span), Math.sin((-2 * Math.PI * k) / span)];
      for (let one = k; one < length; one += span) {
        const other = one + span / 2;
        const [r, i] = [at(re, other) * c - at(im, other) * s, at(re, other) * s + at(im, other) * c];
        re[other] = at(re, one) - r;
        im[other] = at(im, one) - i;
        re[one] = at(re, one) + r;
        im[one] = at(im, one) + i;
      }
    }
  }
};

const at = (values: Float64Array, index: number): number => values[index] ?? NaN;

const swap = (values: Float64Array, one: number, other: number): void => {
  [values[one], values[other]] = [at(values, other), at(values, one)];
};
