import type { Colors } from 'picocolors/types';
import { ALERT, DANGER, GOOD, type Status } from '../workflows/domain/alarm/status';
import { printable } from './failure';

/** Aligns the cells of `rows` in columns, two spaces apart. The first row is the header and gives the number of columns. */
export const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** Makes a table whose rows have the colours of their statuses. Lines are cut to `columns` characters. */
export const paintedTable = (
  colors: Colors,
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<{ readonly status: Status; readonly cells: ReadonlyArray<string> }>,
  columns = Infinity,
): ReadonlyArray<string> => {
  const [header = '', ...lines] = tableOf([heads, ...rows.map(({ cells }) => cells)]).map((line) =>
    line.slice(0, columns),
  );
  return [colors.dim(header), ...lines.map((line, index) => painted(colors, rows[index]?.status ?? 0, line))];
};

/** Gives `text` the colour of a status, as on a traffic light. */
export const painted = ({ red, yellow, green, dim, bold }: Colors, status: Status, text: string): string => {
  switch (status) {
    case DANGER:
      return bold(red(text));
    case ALERT:
      return yellow(text);
    case GOOD:
      return green(text);
    default:
      return dim(text);
  }
};

export const nameOf = ({ part, label }: { readonly part: string; readonly label?: string | undefined }): string =>
  label === undefined || label === '' ? part : `${part} ${printable(label)}`;

/** A number with at most `digits` significant digits. */
export const significant = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

export const quantity = (value: number, unit?: string): string =>
  unit === undefined ? significant(value, 6) : `${significant(value, 6)} ${unit}`;
