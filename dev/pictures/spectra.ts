import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { spectrumSvg } from '../../cli/rating/svg/spectrum-svg';
import { projectRoot } from '../stack/project-root';
import { orders6205, spectrumOf } from '../../test/support/synthesis/machine';
import { randomOf } from '../../test/support/synthesis/random';
import { faults, measurementOf } from '../../test/support/synthesis/trial';
import { decode, type Codec } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';
import { measurementInput, type MeasurementOf } from '../../workflows/domain/measurement/measurement';
import { ratingRules } from '../../workflows/domain/rating/rating-rules';
import { thresholdInput, type Threshold } from '../../workflows/domain/threshold/threshold';

/** Draws a spectrum and its rating by a threshold, as `pas rate --svg` does. */
const drawn = (threshold: Threshold, measurement: MeasurementOf<'SPECTRUM'>): string =>
  `${rightOf(spectrumSvg(ratingRules(threshold), measurement))}\n`;

export const rightOf = <A>(either: E.Either<unknown, A>): A => {
  if (E.isLeft(either)) throw new Error(JSON.stringify(either.left));
  return either.right;
};

const exampleOf = <A>(name: string, codec: Codec<A>): A =>
  rightOf(decode(codec, JSON.parse(readFileSync(join(projectRoot, 'docs/examples', name), 'utf8'))));

/** Draws the example of docs/rating.md: the spectrum of a bearing with a damaged outer race. */
export const outerRacePicture = (): string => {
  const measurement = exampleOf('outer-race.json', measurementInput(hardLimits));
  if (measurement.contentType !== 'SPECTRUM') throw new Error('the example is no spectrum');
  return drawn(exampleOf('outer-race-threshold.json', thresholdInput(hardLimits)), measurement);
};

const SHAFT_HZ = 24.7;

/** The worked example of docs/hal.md: an inner ring fault of 24 dB at 1,482 rpm, and a HAL for each fault. */
export const halExample = (): { readonly threshold: Threshold; readonly measurement: MeasurementOf<'SPECTRUM'> } => {
  const machine = { shaftHz: SHAFT_HZ, orders: orders6205, fault: 'bpfi', slip: -0.008, snr: 24 } as const;
  const halAlarms = faults.map((fault) => ({
    label: fault.toUpperCase(),
    bearing: { manufacturer: 'SKF', modelNumber: '6205' },
    upperAlert: 3.5,
    upperDanger: 5,
  }));
  return { threshold: { halAlarms }, measurement: measurementOf(SHAFT_HZ, spectrumOf(machine, randomOf(42))) };
};
