import * as E from 'fp-ts/Either';
import { statusNames, worst, type Status } from '../../../workflows/domain/alarm/status';
import type { MeasurementOf } from '../../../workflows/domain/measurement/measurement';
import { examineSpectrum, type ExaminedSpectrum } from '../../../workflows/domain/rating/rate-spectrum';
import type { RatingRules } from '../../../workflows/domain/rating/rating-rules';
import { decibelsOf, type ExaminedHal } from '../../../workflows/domain/rating/vibration/hal/examine-hal';
import { explainHal } from '../../../workflows/domain/rating/vibration/hal/explain-hal';
import { halConstants } from '../../../workflows/domain/rating/vibration/hal/hal-constants';
import type { UpperLimits } from '../../../workflows/domain/threshold/alarm-limits';
import { hzAt } from '../../../workflows/domain/rating/vibration/spectral-lines';
import { significant } from '../../table';
import { explainRating, type ExplainedPart } from '../explain-rating';
import { colourOf, chartColours, element, LEFT, lineElement, rect, RIGHT, short, textElement, WIDTH } from './elements';
import { lowPartOf, spectrumPanel, SPECTRUM_HEIGHT } from './spectrum-panel';

/**
 * Draws a spectrum as SVG, with its bands, limits, noise floor and harmonics, and the status of each band and each HAL
 * (harmonic alarm). In the spectrum the harmonics of the HAL with the worst status are marked. A filled mark is a harmonic that
 * is evidence of the fault; the harmonic of a hollow mark is too weak, or stronger lines explain it.
 * Left: why the spectrum cannot be read, one line.
 */
export const spectrumSvg = (rules: RatingRules, measurement: MeasurementOf<'SPECTRUM'>): E.Either<string, string> =>
  E.map((examined: ExaminedSpectrum) => drawn(rules, measurement, examined))(examineSpectrum(rules, measurement));

const drawn = (rules: RatingRules, measurement: MeasurementOf<'SPECTRUM'>, examined: ExaminedSpectrum): string => {
  const parts = explainRating(rules, measurement);
  const hals = parts.filter(({ part }) => part.startsWith('HAL '));
  const bands = parts.filter(({ part }) => part.startsWith('band '));
  const found = hals.filter((part): part is FoundHal => part.hal !== undefined);
  const [marked, slowest] = [worstOf(found), slowestOf(found, examined)];
  const verdict = worst(parts.map(({ status }) => status));
  const { speed, yUnit } = measurement.spectrum;
  const head = `${measurement.createdAt}, ${examined.lines.hz.length} lines, ${significant(speed, 6)} rpm (${short(speed / 60)} Hz)`;
  const panel = (shown: Pick<ExaminedSpectrum, 'lines' | 'noiseFloor' | 'bands'>, of: FoundHal | undefined) => ({
    height: SPECTRUM_HEIGHT,
    draw: (y: number) => spectrumPanel(y, shown, bands.map(bandName), of, yUnit),
  });
  const zoomed = slowest && panel(lowPartOf(examined, ZOOMED * slowest.hal.foundHz), slowest);
  const sections = [
    panel(examined, marked),
    ...titled(`The lowest frequencies, with the harmonics of ${slowest?.label ?? ''}`, zoomed ? [zoomed] : []),
    ...titled(
      `Decibels by which each harmonic exceeds its noise floor: hollow below the dashed ${short(EVIDENT_DB)} dB, or where stronger lines explain it`,
      hals.map((part, at) => halSection(part, rules.threshold.halAlarms?.[at])),
    ),
    ...titled(
      `Bands: the effective value of their lines, ${yUnit}`,
      bands.map((part, at) => bandSection(part, examined.bands[at])),
    ),
  ];
  const height = sections.reduce((sum, section) => sum + section.height, HEAD) + 20;
  const font = { 'font-family': 'sans-serif', 'font-size': 12 };
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${height}`, ...font },
    element('title', {}, `Spectrum: ${statusNames[verdict]}`),
    element('rect', { width: WIDTH, height, fill: 'white' }),
    textElement(LEFT, 30, statusNames[verdict], { 'font-size': 22, 'font-weight': 'bold', fill: colourOf(verdict) }),
    textElement(LEFT + 190, 30, head, { 'font-size': 14 }),
    textElement(LEFT + 190, 52, legendOf(marked), { fill: chartColours.faint }),
    ...stacked(sections),
  );
};

interface Section {
  readonly height: number;
  readonly draw: (y: number) => ReadonlyArray<string>;
}

const stacked = (sections: ReadonlyArray<Section>): ReadonlyArray<string> => {
  let y = HEAD;
  return sections.flatMap(({ height, draw }) => {
    y += height;
    return draw(y - height);
  });
};

/** Puts a title above the sections, if there are any. */
const titled = (title: string, sections: ReadonlyArray<Section>): ReadonlyArray<Section> => {
  const draw = (y: number): ReadonlyArray<string> => [
    lineElement(LEFT, y + 12, RIGHT, y + 12, { stroke: chartColours.grid }),
    textElement(LEFT, y + 30, title, { 'font-size': 13, fill: chartColours.faint }),
  ];
  return sections.length === 0 ? [] : [{ height: 34, draw }, ...sections];
};

const legendOf = (marked: FoundHal | undefined): string =>
  marked === undefined
    ? 'dashed: noise floor'
    : `dashed: noise floor; triangles: harmonics of ${marked.label}, hollow below ${short(EVIDENT_DB)} dB or where stronger lines explain them`;

const HEAD = 60;
/** The low part of the spectrum ends at this multiple of the lowest HAL frequency, just above its tenth harmonic. */
const ZOOMED = 10.5;
/** The low part is drawn again, larger, only if it is less than this fraction of the spectrum. */
const MOST_ZOOMED = 1 / 4;

/** A HAL whose harmonics were looked for in the spectrum. At a speed of 0, for example, there are no harmonics to look for. */
interface FoundHal extends ExplainedPart {
  readonly label: string;
  readonly hal: ExaminedHal;
}

const worstOf = (rows: ReadonlyArray<FoundHal>): FoundHal | undefined =>
  rows.toSorted((one, other) => other.status - one.status || other.hal.index - one.hal.index)[0];

/** The HAL with the lowest frequency, if its harmonics lie too close together to be seen in the whole spectrum. */
const slowestOf = (rows: ReadonlyArray<FoundHal>, { lines }: ExaminedSpectrum): FoundHal | undefined =>
  rows
    .filter(({ hal }) => ZOOMED * hal.foundHz < MOST_ZOOMED * hzAt(lines, lines.hz.length - 1))
    .sort((one, other) => one.hal.foundHz - other.hal.foundHz)[0];

const BARS = 350;
const BAR_WIDTH = 34;
const BAR_DISTANCE = 74;
const SCALE_HEIGHT = 78;
/** Distance between two lines of text (pixels). */
const LINE = 15;

/** Draws a HAL: its status, by how much each harmonic exceeds the noise floor, and the sentences that explain it. */
const halSection = (
  { label = '', status, region = '', why = region, hal }: ExplainedPart,
  { upperAlert, upperDanger }: UpperLimits = {},
): Section => {
  const sentences = hal === undefined ? [] : explainHal(hal);
  const limits = [
    ...(upperAlert === undefined ? [] : [`alert ${short(upperAlert)}`]),
    ...(upperDanger === undefined ? [] : [`danger ${short(upperDanger)}`]),
  ];
  return {
    height: hal === undefined ? 84 : BARS_HEIGHT + sentences.length * LINE + 10,
    draw: (y) => [
      ...verdictOf(y, label, status),
      textElement(LEFT, y + 64, hal === undefined ? why : `index ${short(hal.index)}: ${why}`, {
        fill: chartColours.ink,
      }),
      textElement(LEFT, y + 82, limits.join(', '), { fill: chartColours.faint }),
      ...(hal === undefined ? [] : harmonicBars(y + 12 + SCALE_HEIGHT, hal.harmonics, colourOf(status))),
      ...sentences.map((sentence, at) => textElement(LEFT, y + BARS_HEIGHT + at * LINE, sentence)),
    ],
  };
};

const verdictOf = (y: number, name: string, status: Status): ReadonlyArray<string> => [
  textElement(LEFT, y + 26, name, { 'font-size': 15, 'font-weight': 'bold' }),
  textElement(LEFT, y + 46, statusNames[status], { 'font-size': 15, 'font-weight': 'bold', fill: colourOf(status) }),
];

/** Height (pixels) of a HAL's bars with the numbers below them. The sentences begin below this height. */
const BARS_HEIGHT = 12 + SCALE_HEIGHT + 6 * LINE;

/** A harmonic is evidence of a fault only if it exceeds the noise floor by at least this much (dB). */
const EVIDENT_DB = decibelsOf(halConstants.evident);
const LEAST_SCALE_DB = 25;

/** Draws the decibels of the harmonics as bars from `bottom` up. A bar is filled if its harmonic is evidence of the fault. */
const harmonicBars = (bottom: number, harmonics: ExaminedHal['harmonics'], colour: string): ReadonlyArray<string> => {
  const most = Math.max(LEAST_SCALE_DB, ...harmonics.map(({ decibels }) => decibels));
  const evidentAt = bottom - (SCALE_HEIGHT * EVIDENT_DB) / most;
  const faint = { fill: chartColours.faint };
  return [
    ...['', 'dB', 'amplitude', 'floor'].map((title, at) =>
      textElement(BARS - 24, bottom + (at + 1) * LINE, title, { 'text-anchor': 'end', ...faint }),
    ),
    lineElement(BARS - 8, bottom, RIGHT, bottom, { stroke: chartColours.faint }),
    lineElement(BARS - 8, evidentAt, RIGHT, evidentAt, { stroke: chartColours.faint, 'stroke-dasharray': '6 3' }),
    ...harmonics.flatMap(({ number, decibels, amplitude, noiseFloor, why }) => {
      const x = BARS + (number - 1) * BAR_DISTANCE;
      const height = (SCALE_HEIGHT * Math.max(0, decibels)) / most;
      const counts = why === undefined;
      const below = [`${number}×`, decibels.toFixed(1), short(amplitude), short(noiseFloor)];
      return [
        rect(x, bottom - height, BAR_WIDTH, height, {
          fill: counts ? colour : 'white',
          'fill-opacity': 0.75,
          stroke: counts ? colour : chartColours.faint,
        }),
        ...below.map((content, at) =>
          textElement(x + BAR_WIDTH / 2, bottom + (at + 1) * LINE, content, {
            'text-anchor': 'middle',
            ...(at === 1 && counts ? { fill: colour, 'font-weight': 'bold' } : faint),
          }),
        ),
      ];
    }),
  ];
};

const BAND_WIDTH = 430;

const bandName = ({ part, label }: ExplainedPart): string => (label === undefined || label === '' ? part : label);

/** Draws a band: its status, and its value as a bar with the limits as dashed lines. */
const bandSection = (band: ExplainedPart, { upperAlert, upperDanger }: UpperLimits = {}): Section => {
  const { status, value, unit = '', region = '', why = region } = band;
  const greatest = Math.max(value ?? 0, upperAlert ?? 0, upperDanger ?? 0, Number.MIN_VALUE);
  const most = Math.min(1.15 * greatest, Number.MAX_VALUE);
  const xAt = (amount: number): number => BARS + BAND_WIDTH * (Math.max(amount, 0) / most); // a negative limit is drawn at 0
  const limit = (y: number, label: 'alert' | 'danger', amount: number | undefined): ReadonlyArray<string> => {
    if (amount === undefined) return [];
    const stroke = { stroke: chartColours[label], 'stroke-width': 2, 'stroke-dasharray': '6 3' };
    return [
      lineElement(xAt(amount), y + 14, xAt(amount), y + 44, stroke),
      textElement(xAt(amount), y + 58, `${label} ${short(amount)}`, {
        'text-anchor': 'middle',
        fill: chartColours[label],
      }),
    ];
  };
  return {
    height: 62,
    draw: (y) => [
      ...verdictOf(y, bandName(band), status),
      ...(value === undefined
        ? [textElement(BARS, y + 34, why)]
        : [
            rect(BARS, y + 19, xAt(value) - BARS, 20, { fill: colourOf(status), 'fill-opacity': 0.75 }),
            textElement(BARS + BAND_WIDTH + 12, y + 34, `${short(value)} ${unit}, ${why}`, { 'font-weight': 'bold' }),
          ]),
      ...limit(y, 'alert', upperAlert),
      ...limit(y, 'danger', upperDanger),
    ],
  };
};
