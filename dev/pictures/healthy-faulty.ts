import { orders6205, SPACING, spectrumOf } from '../../test/support/synthesis/machine';
import { randomOf } from '../../test/support/synthesis/random';
import { measurementOf } from '../../test/support/synthesis/trial';
import { rateSpectrum } from '../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../workflows/domain/rating/rating-rules';
import { pictureColours, linePiece, picture, polyline, rectangle, textPiece, type Piece } from './svg';

const SHAFT_HZ = 29.667;
const HIGHEST_HZ = 600;
const [left, width, panelHeight, stripHeight] = [70, 900, 130, 74];

/** The spectrum and the rating of a machine with the bearing SKF 6205, healthy or with an outer ring fault of `snr` dB. */
const machine = (seed: number, snr?: number) => {
  const made = { shaftHz: SHAFT_HZ, orders: orders6205, slip: -0.008, snr: snr ?? 0 };
  const y = spectrumOf(snr === undefined ? made : { ...made, fault: 'bpfo' }, randomOf(seed));
  const edge = (value: number) => ({ value, valueType: 2 }) as const;
  const threshold = {
    bandAlarms: [{ minFrequency: edge(3.4), maxFrequency: edge(3.8) }],
    halAlarms: [{ label: 'BPFO', bearing: { manufacturer: 'SKF', modelNumber: '6205' } }],
  };
  const { bands = [], hals = [] } = rateSpectrum(ratingRules(threshold), measurementOf(SHAFT_HZ, y));
  return { y, snr, band: bands[0]?.calculatedOverall?.value ?? NaN, index: hals[0]?.halIndex ?? NaN };
};
type Machine = ReturnType<typeof machine>;

/** Draws a spectrum from 0 to 600 Hz on a logarithmic scale. Each column of pixels shows its greatest amplitude. */
const spectrumPanel = (top: number, name: string, { y }: Machine, quiet: number): ReadonlyArray<Piece> => {
  const x = (hz: number): number => left + (width * hz) / HIGHEST_HZ;
  const yAt = (amplitude: number): number =>
    top + panelHeight * (1 - Math.min(1, Math.max(0, Math.log10(amplitude / quiet) / 2)));
  const greatest = new Map<number, number>();
  y.slice(2, HIGHEST_HZ / SPACING).forEach((amplitude, at) => {
    const column = Math.round(x((at + 2) * SPACING));
    greatest.set(column, Math.max(greatest.get(column) ?? 0, amplitude));
  });
  const harmonics = [1, 2, 3, 4, 5].map((number) => number * orders6205.bpfo * 0.992 * SHAFT_HZ);
  return [
    textPiece(left, top - 8, name, { 'font-weight': 600 }),
    ...harmonics.flatMap((hz, at) => [
      linePiece(x(hz), top, x(hz), top + panelHeight, { stroke: pictureColours.dangerLine, 'stroke-dasharray': '3 4' }),
      textPiece(x(hz) + 4, top + 12, `${at + 1}x BPFO`, { 'font-size': 12, fill: pictureColours.dangerLine }),
    ]),
    polyline(
      [...greatest].map(([column, amplitude]) => [column, yAt(amplitude)]),
      { stroke: pictureColours.service },
    ),
    ...[1, 2].map((decade) =>
      textPiece(left - 8, yAt(quiet * 10 ** decade) + 5, `${Number((quiet * 10 ** decade).toPrecision(1))} g`, {
        'text-anchor': 'end',
        fill: pictureColours.pale,
      }),
    ),
    linePiece(left, top + panelHeight, left + width, top + panelHeight),
  ];
};

interface Strip {
  readonly name: string;
  readonly valueOf: (machine: Machine) => number;
  readonly alert: number;
  readonly danger: number;
}

/** Draws the values of all machines on one axis from 0, over the regions of the limits. Healthy machines are hollow dots. */
const strip = (
  top: number,
  { name, valueOf, alert, danger }: Strip,
  all: ReadonlyArray<Machine>,
): ReadonlyArray<Piece> => {
  const most = Math.max(danger, ...all.map(valueOf)) * 1.08;
  const x = (value: number): number => left + (width * value) / most;
  const region = (from: number, to: number, status: 'good' | 'alert' | 'danger') => [
    rectangle(x(from), top, x(to) - x(from), stripHeight, { fill: pictureColours[status] }),
    textPiece(x(from) + 6, top + 15, status.toUpperCase(), { 'font-size': 12, fill: pictureColours[`${status}Line`] }),
  ];
  return [
    textPiece(left, top - 8, name, { 'font-weight': 600 }),
    ...region(0, alert, 'good'),
    ...region(alert, danger, 'alert'),
    ...region(danger, most, 'danger'),
    ...[0, alert, danger].map((value) =>
      textPiece(x(value), top + stripHeight + 16, String(Number(value.toPrecision(2))), {
        'text-anchor': 'middle',
        'font-size': 12,
        fill: pictureColours.pale,
      }),
    ),
    ...all.flatMap((one, at) => {
      const [cx, cy] = [x(valueOf(one)), top + (one.snr === undefined ? 24 + 6 * (at % 5) : 62)];
      return [
        rectangle(cx - 5, cy - 5, 10, 10, {
          rx: 5,
          stroke: pictureColours.ink,
          fill: one.snr === undefined ? '#ffffff' : pictureColours.ink,
        }),
        ...(one.snr === undefined ? [] : [textPiece(cx + 9, cy + 5, `${one.snr} dB`)]),
      ];
    }),
  ];
};

/** Draws twenty healthy spectra and four of a growing outer ring fault. The band's limits come from the healthy ones. */
export const healthyFaultyPicture = (): string => {
  const healthy = Array.from({ length: 20 }, (_, seed) => machine(seed + 1));
  const faulty = [12, 18, 24, 30].map((snr) => machine(100 + snr, snr));
  const [one, worst] = [healthy[0], faulty[2]];
  const [low, high] = [9, 10].map((at) => healthy.map(({ band }) => band).sort((a, b) => a - b)[at] ?? NaN);
  if (one === undefined || worst === undefined || low === undefined || high === undefined)
    throw new Error('no machine');
  const alert = low + high; // twice the median
  const quiet = one.band / 40;
  const all = [...healthy, ...faulty];
  const bands = {
    name: 'Band from 3.4x to 3.8x, in g: alert at twice the median of the healthy ones, danger at 2.5 times that',
  };
  const hals = { name: 'HAL BPFO: alert at an index of 3.5, danger at 5' };
  return picture(left + width + 40, 640, 'Healthy and faulty spectra, and their values against limits', [
    textPiece(
      20,
      28,
      'Synthetic, 1,780 rpm: 20 healthy recordings (hollow), 4 of a damaged outer ring (filled, dB above noise)',
      {
        'font-size': 16,
        'font-weight': 600,
      },
    ),
    ...spectrumPanel(70, 'Healthy', one, quiet),
    ...spectrumPanel(240, 'Outer ring damaged, 24 dB', worst, quiet),
    ...[0, 100, 200, 300, 400, 500, 600].map((hz) =>
      textPiece(left + (width * hz) / HIGHEST_HZ, 388, `${hz} Hz`, {
        'text-anchor': 'middle',
        fill: pictureColours.pale,
      }),
    ),
    ...strip(430, { ...hals, valueOf: ({ index }) => index, alert: 3.5, danger: 5 }, all),
    ...strip(546, { ...bands, valueOf: ({ band }) => band, alert, danger: 2.5 * alert }, all),
  ]);
};
