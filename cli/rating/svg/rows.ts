import { decibelsOf, type ExaminedHal } from '../../../workflows/domain/rating/vibration/hal/examine-hal';
import { halConstants } from '../../../workflows/domain/rating/vibration/hal/hal-constants';
import type { Status } from '../../../workflows/domain/alarm/status';
import { statusNames } from '../../../workflows/domain/alarm/status';
import type { UpperLimits } from '../../../workflows/domain/threshold/upper-limits';
import { explainHal } from '../explain-hal';
import { colourOf, colours, LEFT, RIGHT, short } from './style';
import { line, rect, text } from './elements';

export interface HalRow {
  readonly name: string;
  readonly status: Status;
  readonly why: string;
  readonly limits: string;
  /** Absent where nothing was looked for. */
  readonly hal?: ExaminedHal;
}

const BARS = 350;
const BAR_WIDTH = 34;
const BAR_DISTANCE = 74;
const SCALE_HEIGHT = 78;
/** Least distance of two lines of text (pixels). */
const LINE = 15;

/** A HAL: its verdict, how far each harmonic exceeds its noise floor, and the sentences of its explanation. */
export const halRow = (y: number, { name, status, why, limits, hal }: HalRow): ReadonlyArray<string> => [
  text(LEFT, y + 26, name, { 'font-size': 15, 'font-weight': 'bold' }),
  text(LEFT, y + 46, statusNames[status], { 'font-size': 15, 'font-weight': 'bold', fill: colourOf(status) }),
  text(LEFT, y + 64, why, { fill: colours.ink }),
  text(LEFT, y + 82, limits, { fill: colours.faint }),
  ...(hal === undefined
    ? []
    : [
        ...harmonicBars(y + 12 + SCALE_HEIGHT, hal.harmonics, colourOf(status)),
        ...explainHal(hal).map((sentence, at) => text(LEFT, y + BARS_HEIGHT + at * LINE, sentence)),
      ]),
];

/** What stands above the sentences: bars, and what is written below each. */
const BARS_HEIGHT = 12 + SCALE_HEIGHT + 6 * LINE;

export const heightOf = ({ hal }: HalRow): number =>
  hal === undefined ? 84 : BARS_HEIGHT + explainHal(hal).length * LINE + 10;

/** From here on a harmonic is evidence. */
export const EVIDENT_DB = decibelsOf(halConstants.evident);
/** The scale of bars, unless one is higher. */
const LEAST_SCALE_DB = 25;

/** Decibels of the harmonics as bars from `bottom` up: filled where they count. */
const harmonicBars = (bottom: number, harmonics: ExaminedHal['harmonics'], colour: string): ReadonlyArray<string> => {
  const most = Math.max(LEAST_SCALE_DB, ...harmonics.map(({ decibels }) => decibels));
  const evidentAt = bottom - (SCALE_HEIGHT * EVIDENT_DB) / most;
  const faint = { fill: colours.faint };
  return [
    ...['', 'dB', 'amplitude', 'floor'].map((title, at) =>
      text(BARS - 24, bottom + (at + 1) * LINE, title, { 'text-anchor': 'end', ...faint }),
    ),
    line(BARS - 8, bottom, RIGHT, bottom, { stroke: colours.faint }),
    line(BARS - 8, evidentAt, RIGHT, evidentAt, { stroke: colours.faint, 'stroke-dasharray': '6 3' }),
    ...harmonics.flatMap(({ number, decibels, amplitude, noiseFloor, why }) => {
      const x = BARS + (number - 1) * BAR_DISTANCE;
      const height = (SCALE_HEIGHT * Math.max(0, decibels)) / most;
      const counts = why === undefined;
      const below = [`${number}×`, decibels.toFixed(1), short(amplitude), short(noiseFloor)];
      return [
        rect(x, bottom - height, BAR_WIDTH, height, {
          fill: counts ? colour : 'white',
          'fill-opacity': 0.75,
          stroke: counts ? colour : colours.faint,
        }),
        ...below.map((content, at) =>
          text(x + BAR_WIDTH / 2, bottom + (at + 1) * LINE, content, {
            'text-anchor': 'middle',
            ...(at === 1 && counts ? { fill: colour, 'font-weight': 'bold' } : faint),
          }),
        ),
      ];
    }),
  ];
};

export interface BandRow extends UpperLimits {
  readonly name: string;
  readonly status: Status;
  readonly value?: number;
  readonly unit: string;
  readonly why: string;
}

export const BAND_HEIGHT = 62;
const BAND_WIDTH = 430;

/** A band: its verdict, and its value beside its limits. */
export const bandRow = (
  y: number,
  { name, status, value, unit, upperAlert, upperDanger, why }: BandRow,
): ReadonlyArray<string> => {
  const most = 1.15 * Math.max(value ?? 0, upperAlert ?? 0, upperDanger ?? 0, Number.MIN_VALUE);
  const xAt = (amount: number): number => BARS + (BAND_WIDTH * amount) / most;
  const limit = (amount: number | undefined, label: string, colour: string): ReadonlyArray<string> =>
    amount === undefined
      ? []
      : [
          line(xAt(amount), y + 14, xAt(amount), y + 44, {
            stroke: colour,
            'stroke-width': 2,
            'stroke-dasharray': '6 3',
          }),
          text(xAt(amount), y + 58, `${label} ${short(amount)}`, { 'text-anchor': 'middle', fill: colour }),
        ];
  return [
    text(LEFT, y + 26, name, { 'font-size': 15, 'font-weight': 'bold' }),
    text(LEFT, y + 46, statusNames[status], { 'font-size': 15, 'font-weight': 'bold', fill: colourOf(status) }),
    ...(value === undefined
      ? [text(BARS, y + 34, why)]
      : [
          rect(BARS, y + 19, xAt(value) - BARS, 20, { fill: colourOf(status), 'fill-opacity': 0.75 }),
          text(BARS + BAND_WIDTH + 12, y + 34, `${short(value)} ${unit}, ${why}`, { 'font-weight': 'bold' }),
        ]),
    ...limit(upperAlert, 'alert', colours.alert),
    ...limit(upperDanger, 'danger', colours.danger),
  ];
};
