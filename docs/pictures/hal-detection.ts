import { colours, line, picture, polyline, text, type Piece } from './svg';
import { numberIn, rowsOf, type Row } from './tables';

const [left, top, width, height] = [70, 60, 560, 260];
const [leastDb, mostDb, mostIndex] = [6, 40, 100];
const x = (db: number): number => left + ((db - leastDb) / (mostDb - leastDb)) * width;
const y = (index: number): number => top + height * (1 - Math.log(index) / Math.log(mostIndex));

const limits = [
  { index: 3.5, name: 'alert 3.5', colour: colours.alertLine },
  { index: 5, name: 'danger 5', colour: colours.dangerLine },
] as const;

/** A line through the rows, with its name at its end. */
const through = (rows: ReadonlyArray<Row>, name: string, colour: string, indexOf: (row: Row) => number): Piece => {
  const points = rows.map((row) => [x(numberIn(row, DB)), y(indexOf(row))] as const);
  const [, end] = points.at(-1) ?? [0, 0];
  return [
    polyline(points, { stroke: colour, 'stroke-width': 2.5 }),
    text(left + width + 10, end + 5, name, { fill: colour, 'font-weight': 600 }),
  ].join('');
};

const DB = 'first harmonic above the noise';
/** The numbers of a cell, such as `2.1, 2.6, 3.2`. */
const numbersIn = (row: Row, column: string): ReadonlyArray<number> => (row[column] ?? '').split(', ').map(Number);
const own = 'its own index: 5 %, median, 95 %';
const others = "the others': median, greatest";

/** The index of a fault's own HAL and of the others by the strength of the fault, from the table of the appendix. */
export const halDetectionPicture = (tables: string): string => {
  const rows = rowsOf(tables, 'hal').filter((row) => row[DB] !== 'no fault');
  const dbs = rows.map((row) => numberIn(row, DB));
  return picture(860, top + height + 60, 'HAL index by the strength of the fault', [
    text(20, 30, 'HAL index by the strength of the fault (logarithmic)', { 'font-size': 17, 'font-weight': 600 }),
    ...[1, 2, 10, 20, 50, 100].flatMap((index) => [
      line(left, y(index), left + width, y(index)),
      text(left - 10, y(index) + 5, String(index), { 'text-anchor': 'end', fill: colours.pale }),
    ]),
    ...limits.flatMap(({ index, name, colour }) => [
      line(left, y(index), left + width, y(index), { stroke: colour, 'stroke-dasharray': '6 3' }),
      text(left + 6, y(index) - 5, name, { fill: colour, 'font-size': 12 }),
    ]),
    ...dbs.map((db) => text(x(db), top + height + 22, String(db), { 'text-anchor': 'middle', fill: colours.pale })),
    text(left + width / 2, top + height + 46, 'first harmonic above the median of the noise, dB', {
      'text-anchor': 'middle',
      fill: colours.pale,
    }),
    through(rows, "the fault's HAL, median", colours.service, (row) => numbersIn(row, own)[1] ?? NaN),
    through(rows, 'the other three, greatest', colours.ink, (row) => numbersIn(row, others)[1] ?? NaN),
    through(rows, 'the other three, median', colours.baseline, (row) => numbersIn(row, others)[0] ?? NaN),
  ]);
};
