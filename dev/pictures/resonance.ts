import { amplitudesOf } from '../../test/support/synthesis/fourier';
import { RATE, samplesOf } from '../../test/support/synthesis/recordings';
import { pictureColours, linePiece, picture, polyline, rectangle, textPiece } from './svg';

const LENGTH = 256;
const HIGHEST_HZ = 10_000;
const [left, top, width, height] = [70, 70, 900, 200];
/** The band (Hz) that docs/recordings.md passes to `pas-spectrum --envelope`. */
const band = [2_500, 4_500] as const;

/**
 * The spectrum (g) of the recording of a damaged bearing in docs/recordings.md: for each line, the root of the mean power of
 * all blocks. The lines are 100 Hz apart.
 */
const spectrum = (): ReadonlyArray<number> => {
  const samples = samplesOf(21, 0.5);
  const blocks = Array.from({ length: Math.floor(samples.length / LENGTH) }, (_, at) =>
    amplitudesOf(samples.subarray(at * LENGTH, (at + 1) * LENGTH), 'hann'),
  );
  const lines = Array.from({ length: (HIGHEST_HZ * LENGTH) / RATE + 1 }, (_, at) => at);
  return lines.map((at) => Math.sqrt(blocks.reduce((sum, block) => sum + (block[at] ?? 0) ** 2, 0) / blocks.length));
};

/** Draws a spectrum with a hump at a machine's resonance, and the band around the hump for `pas-spectrum --envelope`. */
export const resonancePicture = (): string => {
  const amplitudes = spectrum();
  const x = (hz: number): number => left + (width * hz) / HIGHEST_HZ;
  const greatest = Math.max(...amplitudes.slice(2)) * 1.15;
  const y = (amplitude: number): number => top + height * (1 - Math.min(1, amplitude / greatest));
  const marks = [0, 2_000, 4_000, 6_000, 8_000, 10_000];
  return picture(left + width + 40, 320, 'A hump of a plain spectrum around 3.5 kHz, within the chosen band', [
    textPiece(
      left,
      28,
      'Plain spectrum of a damaged outer ring at 1,780 rpm: the resonance, and the band for the envelope',
      {
        'font-size': 16,
        'font-weight': 600,
      },
    ),
    rectangle(x(band[0]), top, x(band[1]) - x(band[0]), height, { fill: pictureColours.alert }),
    textPiece(x(band[0]), top - 8, `--envelope ${band.join(' ')}`, { fill: pictureColours.alertLine }),
    polyline(
      amplitudes.map((amplitude, at) => [x((at * RATE) / LENGTH), y(amplitude)]),
      { stroke: pictureColours.service, 'stroke-width': 1.5 },
    ),
    ...[0, 0.02, 0.04, 0.06, 0.08].flatMap((amplitude) => [
      linePiece(left, y(amplitude), left + width, y(amplitude)),
      textPiece(left - 8, y(amplitude) + 5, `${amplitude} g`, {
        'text-anchor': 'end',
        fill: pictureColours.pale,
      }),
    ]),
    ...marks.map((hz) =>
      textPiece(x(hz), top + height + 22, `${hz / 1_000} kHz`, { 'text-anchor': 'middle', fill: pictureColours.pale }),
    ),
  ]);
};
