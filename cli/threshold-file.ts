import { isDeepStrictEqual } from 'node:util';
import { CsvError, parse } from 'csv-parse/sync';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Threshold } from '../client';
import { readJson } from '../process/json';
import { decode, isRecord, type Reason } from '../workflows/domain/codecs';
import { hardLimits } from '../workflows/domain/limits';
import { limitNames } from '../workflows/domain/threshold/alarm-limits';
import { thresholdInput } from '../workflows/domain/threshold/threshold';
import { withoutBraces } from './arguments';
import { NO_TEXT } from './input';

/** A threshold in a file, with the number of its line, which counts from 1. */
export interface ThresholdLine {
  readonly line: number;
  readonly nodeId: string;
  /** The document to send. The API checks further rules when it gets the document. */
  readonly threshold: unknown;
}

export interface FaultyLine {
  readonly line: number;
  readonly nodeId?: string;
  readonly reasons: ReadonlyArray<Reason>;
}

export type Line = E.Either<FaultyLine, ThresholdLine>;

const input = thresholdInput(hardLimits);

/** Checks a threshold by the rules of PUT. Unlike in PUT's body, `nodeId` is required, since no path names the node. */
const lineOf = (line: number, threshold: unknown): Line => {
  const named = isRecord(threshold) ? threshold['nodeId'] : undefined;
  return pipe(
    decode(input, threshold),
    E.chain(({ nodeId }) => E.fromNullable<ReadonlyArray<Reason>>([{ name: 'nodeId', reason: 'is required' }])(nodeId)),
    E.bimap(
      (reasons) => ({ line, ...(typeof named === 'string' && { nodeId: named }), reasons }),
      (nodeId) => ({ line, nodeId, threshold }),
    ),
  );
};

/** Refuses a line whose node an earlier line names: both would be sent at the same time and could arrive in either order. */
export const eachNodeOnce = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const seen = new Map<string, number>();
  return lines.map(
    E.chain((given): Line => {
      const { line, nodeId } = given;
      const earlier = seen.get(nodeId);
      if (earlier !== undefined)
        return E.left({ line, nodeId, reasons: [{ name: 'nodeId', reason: `is that of line ${earlier} already` }] });
      seen.set(nodeId, line);
      return E.right(given);
    }),
  );
};

/** Reads a text with one threshold per line, as JSON in the shape that GET answers. Empty lines are ignored. */
export const readNdjson = (text: string): ReadonlyArray<Line> =>
  text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => {
      const json = readJson(Buffer.from(content));
      if (E.isLeft(json)) return E.left({ line, reasons: [json.left] });
      const { value, faults } = json.right;
      return faults.length === 0 ? lineOf(line, value) : E.left({ line, reasons: faults });
    });

/** A column of a CSV file. `path` leads to the member of the threshold that the column holds. */
interface Column {
  readonly name: string;
  readonly path: readonly [string] | readonly [string, string];
  readonly isNumber: boolean;
}

/** The columns of the four limits and the unit in `member` of a threshold. `columnOf` gives the name of each column. */
const limitColumns = (member: string, columnOf: (name: string) => string): ReadonlyArray<Column> =>
  [...limitNames, 'unit'].map((name) => ({ name: columnOf(name), path: [member, name], isNumber: name !== 'unit' }));

/** All columns that a CSV file may have, in any order. Only `node` is required. */
const columns: ReadonlyArray<Column> = [
  { name: 'node', path: ['nodeId'], isNumber: false },
  { name: 'thresholdType', path: ['thresholdType'], isNumber: true },
  ...limitColumns('overall', (name) => name),
  ...limitColumns('rateOfChange', (name) => `rateOfChange${name.charAt(0).toUpperCase()}${name.slice(1)}`),
  { name: 'fullScale', path: ['fullScale'], isNumber: true },
];

/**
 * Reads the thresholds in a CSV text, which begins with a header. The text follows RFC 4180 or the habits of spreadsheets
 * (docs/cli.md, "Import and export"). An empty cell means that the threshold lacks the member of the column.
 *
 * Errors: one line about a fault of the text as a whole, such as a missing quote or an unknown column.
 */
export const readCsv = (text: string): E.Either<string, ReadonlyArray<Line>> => {
  if (text.includes('\0')) return E.left(NO_TEXT);
  const [announcement, separator = separatorIn(text)] = ANNOUNCED_SEPARATOR.exec(text) ?? [];
  return pipe(
    rowsOf(text, separator, announcement === undefined ? 1 : 2),
    E.bindTo('rows'),
    E.bind('used', ({ rows: [header] }) => columnsOf(header?.cells ?? [])),
    E.map(({ rows: [, ...body], used }) => body.map((row) => readRow(used, separator, row))),
  );
};

/** A first line such as `sep=;`, which tells Excel the separator of the file. */
const ANNOUNCED_SEPARATOR = /^\uFEFF?"?sep=([^\r\n"])"?[\r\n]/iu;

/** Finds the separator: the first comma, semicolon or tab in the header, because no column's name contains one. */
const separatorIn = (text: string): string => /^[^\r\n]*?([,;\t])/u.exec(text.trimStart())?.[1] ?? ',';

interface Row {
  /** The number of the line in which the row ends. */
  readonly line: number;
  readonly cells: ReadonlyArray<string>;
}

/** Most characters of one row. */
const MOST_ROW_LENGTH = 65_536;

const rowsOf = (text: string, delimiter: string, from_line: number): E.Either<string, ReadonlyArray<Row>> => {
  try {
    const rows: Row[] = [];
    parse(text, {
      bom: true,
      delimiter,
      from_line,
      max_record_size: MOST_ROW_LENGTH,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      on_record: (cells: ReadonlyArray<string>, { lines }) => void rows.push({ line: lines, cells }),
    });
    return E.right(rows);
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    return E.left(thrown.message);
  }
};

const SHOWN = 64;

/** The columns that a header names. Empty cells after the last name are ignored. */
const columnsOf = (header: ReadonlyArray<string>): E.Either<string, ReadonlyArray<Column>> => {
  const cells = header.map((name) => name.trim());
  const names = cells.slice(0, cells.findLastIndex((name) => name !== '') + 1);
  const known = names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  const unknown = names.filter((name) => !columns.some((column) => column.name === name));
  const faults = [
    ...(names.includes('node') ? [] : ['the column node is missing']),
    ...unknown.map((name) => `${JSON.stringify(name.slice(0, SHOWN))} is not a known column`),
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `the column ${name} is there twice`),
  ];
  return faults.length > 0 ? E.left(`line 1: ${faults.join('; ')}`) : E.right(known);
};

const readRow = (used: ReadonlyArray<Column>, separator: string, { line, cells }: Row): Line => {
  if (cells.length < used.length || cells.slice(used.length).some((cell) => cell !== '')) {
    const reason = `has ${cells.length} cells where the header has ${used.length}`;
    return E.left({ line, reasons: [{ name: '', reason }] });
  }
  const threshold: Record<string, unknown> = {};
  const grouped = new Set<string>();
  for (const [index, { name, path, isNumber }] of used.entries()) {
    const [first, second] = path;
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    if (isNumber && isGrouped(cell, separator)) grouped.add(name);
    const text = first === 'nodeId' ? withoutBraces(cell) : asItWas(cell);
    const value = isNumber ? numberIn(cell, separator) : text;
    threshold[first] = second === undefined ? value : { ...(threshold[first] as object | undefined), [second]: value };
  }
  return E.mapLeft(namedByColumn(grouped))(lineOf(line, threshold));
};

/** The number in a cell, or the text, which the codec then refuses. A comma is a decimal mark unless it separates cells. */
const numberIn = (cell: string, separator: string): number | string => {
  const number = separator === ',' ? cell : cell.replace(',', '.');
  return NUMBER.test(number) && !isGrouped(cell, separator) ? Number(number) : cell;
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

/**
 * Whether a number such as `1.234` may mean 1234, with a separator of thousands. In a file whose cells are separated by commas,
 * a point is certainly decimal; where semicolons separate them, a comma is certainly decimal.
 */
const isGrouped = (cell: string, separator: string): boolean => {
  const mark = /^[+-]?[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*$/u.exec(cell)?.[1];
  return (mark === '.' && separator !== ',') || (mark === ',' && separator !== ',' && separator !== ';');
};

const GROUPED = 'may be grouped by thousands: save it without their separators, and with other than three decimals';

const namedByColumn =
  (grouped: ReadonlySet<string>) =>
  ({ reasons, ...rest }: FaultyLine): FaultyLine => ({
    ...rest,
    reasons: reasons.map(({ name: path, reason }) => {
      const name = columns.find((column) => column.path.join('.') === path)?.name ?? path;
      return { name, reason: grouped.has(name) ? GROUPED : reason };
    }),
  });

export const csvHeader = columns.map(({ name }) => name).join(',');

/** A threshold as a row below `csvHeader`. Left: a message that the columns cannot represent the threshold. */
export const csvRow = (threshold: Threshold): E.Either<string, string> => {
  const row = columns.map(({ path }) => quoted(valueAt(threshold, path))).join(',');
  const back = readCsv(`${csvHeader}\n${row}\n`);
  const first = E.isRight(back) ? back.right[0] : undefined;
  return first !== undefined && E.isRight(first) && isDeepStrictEqual(first.right.threshold, threshold)
    ? E.right(row)
    : E.left('holds more than CSV has columns for: export it as ndjson');
};

const valueAt = (threshold: Threshold, path: Column['path']): unknown =>
  path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), threshold);

const quoted = (value: unknown): string => {
  const text = typeof value === 'string' ? asText(value) : typeof value === 'number' ? String(value) : '';
  return /[",;\t\r\n]|^\s|\s$/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Matches text that a spreadsheet would run as a formula, perhaps after dropping apostrophes and blanks at the beginning. */
const FORMULA = /^['\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^'*[\t\r\n]/u;

/** Puts an apostrophe, the mark of text in spreadsheets, before text that a spreadsheet would otherwise run as a formula. */
const asText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Undoes `asText`: removes the apostrophe. */
const asItWas = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell);
