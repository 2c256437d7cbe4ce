import { ordersOf, type DefectOrders } from '../../../workflows/domain/rating/vibration/bearings/bearing';
import { amplitudesOf } from './fourier';
import { between, normal, type Random } from './random';

/** What a made-up machine does; amplitudes are relative to noise of deviation 1. */
interface Machine {
  readonly shaftHz: number;
  readonly orders: DefectOrders;
  /** Absent: a healthy bearing. */
  readonly fault?: keyof DefectOrders;
  /** Decibels by which the fault's first harmonic exceeds the median of the noise lines. */
  readonly snr: number;
  /** How far all frequencies of the bearing run off, as a share. */
  readonly slip: number;
}

/** Samples a second and a record: 12,800 lines need 32,768 samples, of which the upper fifth is cut off. */
const RATE = 5_120;
const SAMPLES = 32_768;
const LINES = 12_800;
export const SPACING = RATE / SAMPLES;

/** The orders of the SKF 6205 of Case Western Reserve University. */
export const orders6205 = ordersOf({ elements: 9, elementDiameter: 0.3126, pitchDiameter: 1.537 });

/**
 * The Hann-windowed spectrum of `machine`: effective values of 12,800 lines.
 *
 * The shaft turns with an unbalance and its harmonics, far above the noise; the fault's harmonics fall with their number,
 * each with the sidebands that the fault's place makes: an inner ring turns with the shaft, a ball with the cage. The
 * noise is white and Gaussian.
 */
export const spectrumOf = (machine: Machine, random: Random): ReadonlyArray<number> => {
  const signal = new Float64Array(SAMPLES);
  for (let n = 0; n < SAMPLES; n += 1) signal[n] = normal(random);
  for (let k = 1; k <= 6; k += 1) add(signal, k * machine.shaftHz, (noiseLine() * 60) / k ** 2, random);
  if (machine.fault !== undefined) addFault(signal, machine, machine.fault, random);
  return amplitudesOf(signal, 'hann').slice(0, LINES);
};

/** The median amplitude of a line of the noise, through Hann's window. */
const noiseLine = (): number => Math.sqrt((2 * 1.5 * Math.LN2) / SAMPLES);

const addFault = (signal: Float64Array, machine: Machine, fault: keyof DefectOrders, random: Random): void => {
  const { shaftHz, orders, slip, snr } = machine;
  const hz = orders[fault] * shaftHz * (1 + slip);
  const first = noiseLine() * 10 ** (snr / 20);
  const side = { bpfo: 0, ftf: 0, bpfi: shaftHz, bsf: orders.ftf * shaftHz * (1 + slip) }[fault];
  for (let k = 1; k * hz < RATE / 2; k += 1) {
    const amplitude = first / k ** between(random, 0.3, 0.7);
    add(signal, k * hz, amplitude, random);
    if (side > 0) for (const sign of [-1, 1]) add(signal, k * hz + sign * side, amplitude * 0.4, random);
  }
};

/** Adds a tone of effective value `rms` at a random phase: a pointer that turns by one step a sample. */
const add = (signal: Float64Array, hz: number, rms: number, random: Random): void => {
  const phase = between(random, 0, 2 * Math.PI);
  const step = (2 * Math.PI * hz) / RATE;
  const [turnX, turnY] = [Math.cos(step), Math.sin(step)];
  let x = rms * Math.SQRT2 * Math.cos(phase);
  let y = rms * Math.SQRT2 * Math.sin(phase);
  for (let n = 0; n < signal.length; n += 1) {
    signal[n] = (signal[n] ?? 0) + x;
    [x, y] = [x * turnX - y * turnY, x * turnY + y * turnX];
  }
};
