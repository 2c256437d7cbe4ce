import type { WindowFunction } from '../../measurement/spectrum';

interface Window {
  /** Equivalent noise bandwidth in lines: by this much the window counts the energy of noise, and of a tone, too often. */
  readonly noiseBandwidth: number;
  /** Half the width of a tone's main lobe, in lines. */
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

/** The window by its name; without one the lines are taken as they are, and a tone as wide as a Hann window makes it. */
export const windowOf = (name: WindowFunction | undefined): Window =>
  name === undefined ? { noiseBandwidth: 1, lobe: 2 } : windows[name];
