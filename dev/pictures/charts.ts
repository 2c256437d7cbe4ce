import { pictureColours, linePiece, picture, polyline, rectangle, textPiece, type Piece } from './svg';

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly colour: string;
}

/** A chart of bars. Its only axis has one unit and begins at 0. */
export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly groups: ReadonlyArray<{ readonly name: string; readonly bars: ReadonlyArray<Bar> }>;
}

const [width, left, right, barHeight, groupGap] = [860, 210, 110, 24, 20];

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

/** The picture of a chart of bars: every bar has its name before it and its value behind it. */
export const barPicture = ({ title, unit, groups }: BarChart): string => {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const pieces: Piece[] = [textPiece(20, 30, `${title} (${unit})`, { 'font-size': 17, 'font-weight': 600 })];
  let y = 50;
  for (const { name, bars } of groups) {
    pieces.push(textPiece(20, y + 16, name, { 'font-weight': 600 }));
    y += 26;
    const from = y;
    for (const { label, value, colour } of bars) {
      const length = (value / most) * (width - left - right);
      pieces.push(
        textPiece(left - 10, y + barHeight / 2 + 4, label, { 'text-anchor': 'end' }),
        rectangle(left, y, Math.max(1, length), barHeight - 5, { fill: colour, rx: 2 }),
        textPiece(left + length + 8, y + barHeight / 2 + 3, figure(value), { 'font-weight': 600 }),
      );
      y += barHeight;
    }
    pieces.push(linePiece(left, from - 4, left, y, { stroke: pictureColours.pale }));
    y += groupGap;
  }
  return picture(width, y, title, pieces);
};

/** A chart of lines over time. The axis of values begins at 0 and has one unit. Values above `most` are drawn at `most`. */
export interface LineChart {
  readonly title: string;
  readonly unit: string;
  readonly most: number;
  /** The text for a step of time, such as `minute 3`. Steps count from 0. */
  readonly step: (index: number) => string;
  /** A span of time that is shaded: its first and last step, and its name. */
  readonly span?: { readonly from: number; readonly to: number; readonly name: string };
  readonly lines: ReadonlyArray<{
    readonly name: string;
    readonly colour: string;
    readonly values: ReadonlyArray<number>;
  }>;
}

const [chartTop, chartHeight, chartLeft] = [60, 220, 70];
const TICKS = 4;
/** Least distance (pixels) between the names of lines that end close together. */
const NAME_HEIGHT = 18;

/** The picture of a chart of lines, each with its name at its end. */
export const linePicture = ({ title, unit, most, step, span, lines }: LineChart): string => {
  const chartWidth = width - chartLeft - 150;
  const steps = Math.max(...lines.map(({ values }) => values.length)) - 1;
  const x = (index: number): number => chartLeft + (index / steps) * chartWidth;
  const y = (value: number): number => chartTop + chartHeight * (1 - Math.min(value, most) / most);
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => (most * index) / TICKS);
  return picture(width, chartTop + chartHeight + 50, title, [
    textPiece(20, 30, `${title} (${unit})`, { 'font-size': 17, 'font-weight': 600 }),
    ...(span === undefined ? [] : shaded(span, x)),
    ...ticks.flatMap((tick) => [
      linePiece(chartLeft, y(tick), chartLeft + chartWidth, y(tick)),
      textPiece(chartLeft - 10, y(tick) + 5, figure(tick), { 'text-anchor': 'end', fill: pictureColours.pale }),
    ]),
    ...[0, Math.round(steps / 2), steps].map((index) =>
      textPiece(x(index), chartTop + chartHeight + 24, step(index), {
        'text-anchor': 'middle',
        fill: pictureColours.pale,
      }),
    ),
    ...lines.map(({ colour, values }) =>
      polyline(
        values.map((value, index) => [x(index), y(value)]),
        { stroke: colour, 'stroke-width': 2.5 },
      ),
    ),
    ...upwards(lines.map(({ values }) => y(values.at(-1) ?? 0))).map((at, index) =>
      textPiece(chartLeft + chartWidth + 10, at + 5, lines[index]?.name ?? '', {
        fill: lines[index]?.colour ?? pictureColours.pale,
        'font-weight': 600,
      }),
    ),
  ]);
};

const shaded = ({ from, to, name }: NonNullable<LineChart['span']>, x: (index: number) => number): Piece[] => [
  rectangle(x(from), chartTop, x(to) - x(from), chartHeight, { fill: pictureColours.danger }),
  textPiece(x(from) + 8, chartTop + 20, name, { fill: pictureColours.dangerLine, 'font-weight': 600 }),
];

/** The heights (y) of the names of lines, each moved up just far enough to stay clear of the names below it. */
const upwards = (heights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const moved = [...heights];
  let below = Infinity;
  for (const [index, height] of [...heights.entries()].sort(([, one], [, other]) => other - one)) {
    below = Math.min(height, below - NAME_HEIGHT);
    moved[index] = below;
  }
  return moved;
};
