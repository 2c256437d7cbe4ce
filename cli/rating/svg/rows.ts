import { halConstants } from '../../../workflows/domain/rating/vibration/hal/hal-constants';
import type { Status } from '../../../workflows/domain/alarm/status';
import { statusNames } from '../../../workflows/domain/alarm/status';
import { colourOf, colours, LEFT, short } from './style';
import { line, rect, text } from './elements';

/** Upper limits, as far as they are given. */
export interface UpperLimits {
  readonly upperAlert?: number;
  readonly upperDanger?: number;
}

export interface HalRow extends UpperLimits {
  readonly name: string;
  readonly status: Status;
  readonly index?: number;
  /** By number of a harmonic, how many times it exceeds its noise floor, and whether it counts; absent outside the spectrum. */
  readonly harmonics: ReadonlyMap<number, { readonly ratio: number; readonly counts: boolean }>;
  readonly why: string;
}

export const HAL_HEIGHT = 134;
const BARS = 330;
const BAR_WIDTH = 30;
const SCALE_HEIGHT = 78;
/** Least distance of two lines of text (pixels). */
const LINE = 15;

/** A HAL: its verdict and reason, and how far each harmonic stands out of the noise. */
export const halRow = (y: number, row: HalRow): ReadonlyArray<string> => {
  const { name, status, harmonics, upperAlert, upperDanger, why } = row;
  const limits = [
    ...(upperAlert === undefined ? [] : [`alert ${short(upperAlert)}`]),
    ...(upperDanger === undefined ? [] : [`danger ${short(upperDanger)}`]),
  ].join(', ');
  const bottom = y + 12 + SCALE_HEIGHT;
  const most = 1.15 * Math.max(1, ...[...harmonics.values()].map(({ ratio }) => ratio));
  const yAt = (ratio: number): number => bottom - (SCALE_HEIGHT * ratio) / most;
  const end = BARS + halConstants.harmonics * (BAR_WIDTH + 14);
  return [
    text(LEFT, y + 26, name, { 'font-size': 15, 'font-weight': 'bold' }),
    text(LEFT, y + 46, statusNames[status], { 'font-size': 15, 'font-weight': 'bold', fill: colourOf(status) }),
    text(LEFT, y + 64, why, { fill: colours.ink }),
    text(LEFT, y + 82, limits, { fill: colours.faint }),
    line(BARS - 8, bottom, end, bottom, { stroke: colours.faint }),
    ...Array.from({ length: halConstants.harmonics }, (_, at) => at + 1).flatMap((number) => {
      const x = BARS + (number - 1) * (BAR_WIDTH + 14);
      const { ratio, counts: isFound } = harmonics.get(number) ?? { ratio: undefined, counts: false };
      const middle = { 'text-anchor': 'middle', fill: colours.faint };
      return [
        ...(ratio === undefined
          ? []
          : [
              rect(x, yAt(ratio), BAR_WIDTH, bottom - yAt(ratio), {
                fill: isFound ? colourOf(status) : 'white',
                'fill-opacity': 0.75,
                stroke: isFound ? colourOf(status) : colours.faint,
              }),
            ]),
        text(x + BAR_WIDTH / 2, bottom + LINE, `${number}×`, middle),
        text(x + BAR_WIDTH / 2, bottom + 2 * LINE, ratio === undefined ? '–' : short(ratio), {
          ...middle,
          ...(isFound && { fill: colourOf(status), 'font-weight': 'bold' }),
        }),
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
