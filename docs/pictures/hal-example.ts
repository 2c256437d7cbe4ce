import * as E from 'fp-ts/Either';
import { spectrumSvg } from '../../cli/rating/svg/spectrum-svg';
import { orders6205, spectrumOf } from '../../test/support/synthesis/machine';
import { randomOf } from '../../test/support/synthesis/random';
import { faults, measurementOf } from '../../test/support/synthesis/trial';

const SHAFT_HZ = 24.7;

/** The worked example of docs/hal.md, drawn as `pas rate --svg` draws it: an inner ring fault of 24 dB at 1,482 rpm. */
export const halExamplePicture = (): string => {
  const machine = { shaftHz: SHAFT_HZ, orders: orders6205, fault: 'bpfi', slip: -0.008, snr: 24 } as const;
  const measurement = measurementOf(SHAFT_HZ, spectrumOf(machine, randomOf(42)));
  const halAlarms = faults.map((fault) => ({
    label: fault.toUpperCase(),
    bearing: { manufacturer: 'SKF', modelNumber: '6205' },
    upperAlert: 3.5,
    upperDanger: 5,
  }));
  const drawn = spectrumSvg({ threshold: { halAlarms }, reading: 'literal', bearings: [] }, measurement);
  if (E.isLeft(drawn)) throw new Error(drawn.left);
  return drawn.right;
};
