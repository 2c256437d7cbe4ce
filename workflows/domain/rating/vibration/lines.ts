import * as E from 'fp-ts/Either';
import { amplitudesOf, lineCount, positionsOf } from '../../measurement/packed-lines';
import type { Spectrum } from '../../measurement/spectrum';
import { windowOf } from './windows';
import { hertzPer } from './x-units';

/** The lines of a spectrum, by frequency in Hz, which rises. */
export interface Lines {
  readonly hz: Readonly<Float64Array>;
  readonly amplitudes: Readonly<Float64Array>;
  /** From line to line in Hz; the mean, where they are not evenly spaced. */
  readonly spacing: number;
  readonly even: boolean;
  readonly noiseBandwidth: number;
  readonly lobe: number;
  readonly shaftHz: number;
}

/** The lines of `spectrum` in Hz, or why there are none. */
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

/** What `values` hold at `index`; 0 beyond either end. */
export const valueAt = (values: Readonly<Float64Array>, index: number): number => values[index] ?? 0;

/** The first line at or above `hz`; one past the last when there is none. */
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

/** The line nearest to `hz`. */
export const lineNearest = (lines: Lines, hz: number): number => {
  const above = firstLineFrom(lines, hz);
  return above > 0 && !(hzAt(lines, above) - hz < hz - hzAt(lines, above - 1)) ? above - 1 : above;
};
