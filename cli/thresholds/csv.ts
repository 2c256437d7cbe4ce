import { isDeepStrictEqual } from 'node:util';
import { CsvError, parse } from 'csv-parse/sync';
import * as E from 'fp-ts/Either';
import type { Threshold } from '../../client';
import { isRecord } from '../../workflows/domain/codecs';
import { columns, type Column } from './csv-columns';
import { lineOf, type FaultyLine, type Line } from './threshold-line';

/**
 * The thresholds of a CSV text (RFC 4180) with a header; an empty cell means absent.
 *
 * Errors: in one line, what is wrong with the text as a whole: its quotes, or its header.
 */
export const readCsv = (text: string): E.Either<string, ReadonlyArray<Line>> => {
  const rows = rowsOf(text);
  if (E.isLeft(rows)) return rows;
  const [header, ...body] = rows.right;
  const used = columnsOf(header?.cells ?? []);
  return E.map((known: ReadonlyArray<Column>) => body.map((row) => readRow(known, row)))(used);
};

interface Row {
  /** Where it ends. */
  readonly line: number;
  readonly cells: ReadonlyArray<string>;
}

const rowsOf = (text: string): E.Either<string, ReadonlyArray<Row>> => {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    const parsed: ReadonlyArray<unknown> = parse(text, options);
    return E.right(parsed.map(rowOf));
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    return E.left(thrown.message);
  }
};

/** The parser's types leave out what `info` adds. */
const rowOf = (parsed: unknown): Row => {
  if (!isRecord(parsed) || !isRecord(parsed['info']) || !Array.isArray(parsed['record'])) return { line: 0, cells: [] };
  return { line: Number(parsed['info']['lines']), cells: parsed['record'].map(String) };
};

const columnsOf = (names: ReadonlyArray<string>): E.Either<string, ReadonlyArray<Column>> => {
  const known = names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  const unknown = names.filter((name) => !columns.some((column) => column.name === name));
  const faults = [
    ...(names.includes('node') ? [] : ['the column node is missing']),
    ...unknown.map((name) => `${JSON.stringify(name)} is not a known column`),
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `the column ${name} is there twice`),
  ];
  return faults.length > 0 ? E.left(`line 1: ${faults.join('; ')}`) : E.right(known);
};

const readRow = (used: ReadonlyArray<Column>, { line, cells }: Row): Line => {
  if (cells.length !== used.length) {
    const reason = `has ${cells.length} cells where the header has ${used.length}`;
    return E.left({ line, reasons: [{ name: '', reason }] });
  }
  const threshold: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [
    index,
    {
      path: [first, second],
      isNumber,
    },
  ] of used.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const value = isNumber && NUMBER.test(cell) ? Number(cell) : cell;
    if (second === undefined) threshold[first] = value;
    else threshold[first] = groups[first] = { ...groups[first], [second]: value };
  }
  return E.mapLeft(namedByColumn)(lineOf(line, threshold));
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

const namedByColumn = ({ reasons, ...rest }: FaultyLine): FaultyLine => ({
  ...rest,
  reasons: reasons.map(({ name, reason }) => ({
    name: columns.find(({ path }) => path.join('.') === name)?.name ?? name,
    reason,
  })),
});

/** The header of a file with every column. */
export const csvHeader = columns.map(({ name }) => name).join(',');

/** A threshold as a row below that header; left where the columns cannot represent it. */
export const csvRow = (threshold: Threshold): E.Either<string, string> => {
  const row = columns.map(({ path }) => quoted(valueAt(threshold, path))).join(',');
  const back = readCsv(`${csvHeader}\n${row}\n`);
  const first = E.isRight(back) ? back.right[0] : undefined;
  return first !== undefined && E.isRight(first) && isDeepStrictEqual(first.right.threshold, threshold)
    ? E.right(row)
    : E.left('holds more than CSV has columns for: export it as ndjson');
};

const valueAt = (threshold: Threshold, [first, second]: Column['path']): unknown => {
  const value: unknown = Object.entries(threshold).find(([name]) => name === first)?.[1];
  return second === undefined ? value : isRecord(value) ? value[second] : undefined;
};

const quoted = (value: unknown): string => {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
