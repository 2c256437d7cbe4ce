import { element } from '../../cli/rating/svg/elements';
import { colours, line, picture, polyline, rectangle, text, type Piece } from './svg';

type Point = readonly [x: number, y: number];

/** A line through its points, or a mark or a bar at each of them. */
export interface Series {
  readonly kind: 'line' | 'marks' | 'bars';
  readonly name: string;
  readonly colour: string;
  readonly points: ReadonlyArray<Point>;
  /** Of a line: its width, and its dashes where it has some. */
  readonly width?: number;
  readonly dashes?: string;
}

/** An axis; its name ends in the unit. Values beyond its ends are drawn at them. */
interface Axis {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: ReadonlyArray<number>;
  readonly isLogarithmic?: boolean;
}

/** Series over two axes of numbers; a level is a dashed line across, its name to the right of it. */
export interface Plot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: ReadonlyArray<Series>;
  readonly levels?: ReadonlyArray<{ readonly name: string; readonly value: number; readonly colour: string }>;
}

const [left, right, top, bottom] = [70, 750, 76, 336];
const [width, height] = [860, 392];
const BAR_WIDTH = 13;

/** The picture of a plot, with a key of its series below the title. */
export const plotPicture = ({ title, x, y, series, levels = [] }: Plot): string => {
  const toX = (value: number): number => left + shareOf(x, value) * (right - left);
  const toY = (value: number): number => bottom - shareOf(y, value) * (bottom - top);
  const [middle, end] = [{ 'text-anchor': 'middle' }, { 'text-anchor': 'end' }];
  const pale = { fill: colours.pale };
  return picture(width, height, title, [
    text(20, 30, title, { 'font-size': 17, 'font-weight': 600 }),
    ...keyOf(series),
    ...y.ticks.flatMap((tick) => [
      line(left, toY(tick), right, toY(tick)),
      text(left - 10, toY(tick) + 5, String(tick), { ...end, ...pale }),
    ]),
    ...x.ticks.flatMap((tick) => [
      line(toX(tick), bottom, toX(tick), bottom + 5, { stroke: colours.pale }),
      text(toX(tick), bottom + 22, String(tick), { ...middle, ...pale }),
    ]),
    text((left + right) / 2, bottom + 46, x.name, middle),
    text(0, 0, y.name, { ...middle, transform: `translate(20 ${(top + bottom) / 2}) rotate(-90)` }),
    ...series.map((one) =>
      drawn(
        one,
        one.points.map(([across, up]) => [toX(across), toY(up)]),
        bottom,
      ),
    ),
    ...levels.flatMap(({ name, value, colour }) => [
      line(left, toY(value), right, toY(value), { stroke: colour, 'stroke-width': 2, 'stroke-dasharray': '5 3' }),
      text(right + 8, toY(value) + 5, name, { fill: colour, 'font-weight': 600 }),
    ]),
  ]);
};

/** The names of the series side by side, each behind a sample of it. */
const keyOf = (series: ReadonlyArray<Series>): ReadonlyArray<Piece> => {
  let x = left;
  return series.flatMap((one) => {
    const sample: ReadonlyArray<Point> =
      one.kind === 'line'
        ? [
            [x, 51],
            [x + 24, 51],
          ]
        : [[x + 12, one.kind === 'bars' ? 45 : 51]];
    const pieces = [drawn(one, sample, 57), text(x + 32, 56, one.name)];
    x += 32 + one.name.length * 7.2 + 24;
    return pieces;
  });
};

const drawn = (
  { kind, colour, width: thickness = 2.5, dashes }: Series,
  points: ReadonlyArray<Point>,
  base: number,
): Piece => {
  switch (kind) {
    case 'line':
      return polyline(points, {
        ...{ stroke: colour, 'stroke-width': thickness },
        ...(dashes !== undefined && { 'stroke-dasharray': dashes }),
      });
    case 'marks':
      return points.map(([cx, cy]) => element('circle', { cx, cy, r: 4.5, fill: colour })).join('\n');
    case 'bars':
      return points.map(([x, y]) => rectangle(x - BAR_WIDTH / 2, y, BAR_WIDTH, base - y, { fill: colour })).join('\n');
  }
};

/** How far along the axis a value lies, from 0 to 1. */
const shareOf = ({ from, to, isLogarithmic = false }: Axis, value: number): number => {
  const within = Math.min(Math.max(value, from), to);
  return isLogarithmic ? Math.log(within / from) / Math.log(to / from) : (within - from) / (to - from);
};
