import { fc, test as property } from '@fast-check/vitest';
import { parse } from 'csv-parse/sync';
import * as E from 'fp-ts/Either';
import { describe, expect, test, vi } from 'vitest';
import { csvHeader, csvRow, eachNodeOnce, readCsv, readNdjson, type Line } from '../../../cli/threshold-file';
import { thresholdView } from '../../../workflows/domain/threshold/threshold';
import { thresholds } from '../../support/arbitraries/threshold';
import { folderWith, runHere } from '../../support/run-program';
import { anId } from '../../support/scenario';
import { rightOf } from '../../support/either';

// Many runs of a law; the time that they take says nothing.
vi.setConfig({ testTimeout: 60_000 });

const [one, two] = [anId(1), anId(2)];
const csv = (text: string): ReadonlyArray<Line> => rightOf(readCsv(text));
const faults = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.flatMap((line) =>
    E.isLeft(line) ? line.left.reasons.map(({ name, reason }) => `${line.left.line}: ${name} ${reason}`) : [],
  );

describe('a CSV file', () => {
  test('holds a threshold a row, in any order of columns; an empty cell is absent, 0 is a limit', () => {
    const text = `unit,node,thresholdType,outerLow,outerHigh,rateOfChangeInnerHigh,fullScale\r\n"mm/s, rms",${one},2,0,7.1,,\r\n,${two},,,,-1e1,3\r\n`;
    expect(csv(text)).toEqual([
      E.right({
        line: 2,
        nodeId: one,
        threshold: { nodeId: one, thresholdType: 2, overall: { unit: 'mm/s, rms', outerLow: 0, outerHigh: 7.1 } },
      }),
      E.right({ line: 3, nodeId: two, threshold: { nodeId: two, rateOfChange: { innerHigh: -10 }, fullScale: 3 } }),
    ]);
  });

  test('may begin with a byte order mark, as spreadsheets write it, and have empty lines', () => {
    expect(csv(`\uFEFFnode,thresholdType\n\n${one},0\n`)).toEqual([
      E.right({ line: 3, nodeId: one, threshold: { nodeId: one, thresholdType: 0 } }),
    ]);
  });

  test.each<[name: string, row: string, fault: string]>([
    ['a decimal comma', `${one},1,"7,1",`, '2: outerLow must be a finite number'],
    ['a number beyond all bounds', `${one},1,1e999,`, '2: outerLow must be a finite number'],
    ['limits that fall', `${one},1,5,4`, '2: outerHigh must not be below outerLow (5)'],
    ['a type without its limits', `${one},1,,`, '2: overall is required by thresholdType 1'],
    ['an unknown type', `${one},7,,`, '2: thresholdType must be one of 0, 1, 2, 3'],
    ['no node', `,0,,`, '2: node is required'],
    ['a node that is none', `x,0,,`, '2: node must be a UUID'],
    ['a missing cell', `${one},0`, '2:  has 2 cells where the header has 4'],
  ])('names line and column of %s', (_name, row, fault) => {
    expect(faults(csv(`node,thresholdType,outerLow,outerHigh\n${row}\n`))).toEqual([fault]);
  });

  test.each<[text: string, fault: RegExp]>([
    ['', /^line 1: the column node is missing$/u],
    ['node,limit,node\n', /^line 1: "limit" is not a known column; the column node is there twice$/u],
    [`node\n"${one}`, /Quote/u],
  ])('is refused as a whole for its header or quotes: %j', (text, fault) => {
    expect(readCsv(text)).toEqual(E.left(expect.stringMatching(fault)));
  });
});

const GROUPED = 'may be grouped by thousands: save it without their separators, and with other than three decimals';

/** A file with all that spreadsheets do to it: what import reads of it is what the plain one holds. */
describe('a file that a spreadsheet saved', () => {
  const plain = csv(`node,thresholdType,outerLow,outerHigh,unit\n${one},2,-0.5,7.1,mm/s\n${two},1,,12345,C\n`);
  const contents = plain.map(E.map(({ threshold }) => threshold));
  const asComma = (text: string): string => text.replaceAll(',', ';').replaceAll('.', ',');
  const header = 'node,thresholdType,outerLow,outerHigh,unit';
  const text = `${header}\n${one},2,-0.5,7.1,mm/s\n${two},1,,12345,C\n`;
  test.each<[name: string, text: string]>([
    ['semicolons and decimal commas', asComma(text)],
    ['semicolons and decimal points', text.replaceAll(',', ';')],
    ['tabs', text.replaceAll(',', '\t')],
    ['tabs and decimal commas', asComma(text).replaceAll(';', '\t')],
    ['tabs and quoted decimal commas', asComma(text).replaceAll(';', '\t').replace('7,1', '"7,1"')],
    ['a line that names the separator', `sep=;\r\n${asComma(text)}`],
    ['a quoted line that names the separator', `\uFEFF"sep=;"\r\n${asComma(text)}`],
    ['a line that names an unusual separator', `sep=|\n${text.replaceAll(',', '|')}`],
    ['blanks after each separator', text.replaceAll(',', ', ')],
    ['blanks around each cell, quotes within', text.replaceAll(',', ' , ').replace('mm/s', '"mm/s"')],
    ['blanks within the quotes of headers', text.replace('thresholdType', '" thresholdType "')],
    ['quotes around each cell', text.replaceAll(/[^,\n]+/gu, '"$&"')],
    ['a trailing separator in every row', text.replaceAll('\n', ',\n')],
    ['several trailing separators', text.replaceAll('\n', ',,,\n')],
    ['trailing separators in the rows alone', text.replaceAll('\n', ',,\n').replace(',,\n', '\n')],
    ['rows of empty cells below', `${text},,,,\n,,,,\n , ,,,\n`],
    ['rows of empty cells between', text.replace('\n', '\n,,,,\n')],
    ['ids in braces', text.replace(one, `{${one.toUpperCase()}}`).replace(two, `{${two}}`)],
    ['line ends of old', text.replaceAll('\n', '\r')],
    ['all of that', `\uFEFFsep=\t\r\n${asComma(text).replaceAll(';', ' \t ').replaceAll('\n', '\t\r\n')}\t\t\t\r\n`],
  ])('is understood with %s', (_name, saved) => {
    const lower = (threshold: unknown): unknown =>
      JSON.parse(
        JSON.stringify(threshold)
          .replaceAll(/[{][0-9A-F-]{36}[}]/gu, (id) => id.slice(1, -1))
          .toLowerCase(),
      );
    expect(csv(saved).map(E.map(({ threshold }) => lower(threshold)))).toEqual(contents.map(E.map(lower)));
  });

  test('names the lines that a user sees', () => {
    expect(faults(csv(`sep=;\n${header.replaceAll(',', ';')}\n;;;;\n${one};9;;;\n`))).toEqual([
      '4: thresholdType must be one of 0, 1, 2, 3',
    ]);
  });

  test.each<[name: string, text: string, fault: string]>([
    ['a thousands point', `node;outerHigh\n${one};1.234\n`, GROUPED],
    ['two thousands points', `node;outerHigh\n${one};1.234.567\n`, GROUPED],
    ['both marks', `node;outerHigh\n${one};1.234,5\n`, 'must be a finite number'],
    ['a thousands comma', `node,outerHigh\n${one},"1,234"\n`, 'must be a finite number'],
    ['a thousands comma or a decimal one', `node\touterHigh\n${one}\t"1,234"\n`, GROUPED],
    ['a point that may be either', `node\touterHigh\n${one}\t-1.234\n`, GROUPED],
    ['a thousands blank', `node;outerHigh\n${one};1\u00a0234\n`, 'must be a finite number'],
  ])('never guesses a number: %s', (_name, saved, fault) => {
    expect(faults(csv(saved))).toEqual([`2: outerHigh ${fault}`]);
  });

  test.each<[name: string, text: string, high: number]>([
    ['three decimals behind a comma', `node;outerHigh\n${one};1,234\n`, 1.234],
    ['three decimals behind zero', `node;outerHigh\n${one};0.125\n`, 0.125],
    ['three decimals behind a point', `node,outerHigh\n${one},1.234\n`, 1.234],
    ['four decimals', `node\touterHigh\n${one}\t1.2340\n`, 1.234],
    ['an exponent', `node;outerHigh\n${one};1,5E+3\n`, 1_500],
  ])('reads %s', (_name, saved, high) => {
    const [line] = csv(saved.replace('outerHigh', 'rateOfChangeOuterHigh'));
    expect(line).toMatchObject(E.right({ threshold: { rateOfChange: { outerHigh: high } } }));
  });

  test('in UTF-16 is read; other letters, and binary workbooks, are refused with how to save it', async () => {
    const folder = folderWith({
      'le.csv': Buffer.from(`\uFEFF${text.replaceAll(',', '\t').replace('mm/s', 'µm')}`, 'utf16le'),
      'be.csv': Buffer.from(`\uFEFF${text.replaceAll(',', '\t')}`, 'utf16le').swap16(),
      'bare.csv': Buffer.from(text, 'utf16le'),
      'ansi.csv': Buffer.from(text.replace('mm/s', '°C'), 'latin1'),
      'odd.csv': Buffer.concat([Buffer.from(`\uFEFF${text}`, 'utf16le'), Buffer.from('x')]),
      'book.csv': Buffer.from('504b030414000600080000002100', 'hex'),
    });
    const imported = async (file: string) => {
      const { code, out, err } = await runHere(folder, 'import', file, '--dry-run');
      return [code, ...out, ...err];
    };
    for (const file of ['le.csv', 'be.csv']) expect(await imported(file)).toEqual([0, '2 valid, 0 with faults']);
    for (const file of ['bare.csv', 'ansi.csv', 'odd.csv', 'book.csv'])
      expect(await imported(file)).toEqual([2, expect.stringMatching(/ save it as (?:"CSV UTF-8"|UTF-8)/u)]);
  });
});

test('an NDJSON file holds a document a line and names the line of each fault', () => {
  const bad = { nodeId: one, thresholdType: 2, overall: { outerHigh: 'x', colour: 'red' } };
  const lines = readNdjson(
    `{"nodeId":"${two}"}\n\n${JSON.stringify(bad)}\n{oops\n{}\n{"nodeId":"${one}","nodeId":"${two}"}\n`,
  );
  expect(lines[0]).toEqual(E.right({ line: 1, nodeId: two, threshold: { nodeId: two } }));
  expect(faults(lines)).toEqual([
    '3: overall.colour is not a known property',
    '3: overall.outerHigh must be a finite number',
    '4:  must be JSON',
    '5: nodeId is required',
    '6: nodeId is named twice',
  ]);
});

test('a node that stands in two lines is refused in the second, in whatever case', () => {
  const lines = eachNodeOnce(readNdjson(`{"nodeId":"${one}"}\n{"nodeId":"${two}"}\n{"nodeId":"${one.toUpperCase()}"}`));
  expect(faults(lines)).toEqual(['3: nodeId is that of line 1 already']);
});

describe('a cell that a spreadsheet would run', () => {
  const rowOf = (unit: string): string => {
    const row = csvRow({ nodeId: one, thresholdType: 2, overall: { unit, innerHigh: -20 } });
    return E.isRight(row) ? row.right : row.left;
  };

  test('numbers stay numbers', () => expect(rowOf('C')).toBe(`${one},2,,,-20,,C,,,,,,`));

  const marks = ["'", '=', '+', '-', '@', '\t', '\r', '\n', ' ', '"', ',', ';', '＝', 'm', '/'];
  const units = fc.array(fc.constantFrom(...marks), { minLength: 1, maxLength: 6 }).map((letters) => letters.join(''));
  property.prop([units])('whatever its letters, it is no formula and comes back', (unit) => {
    const row = rowOf(unit);
    const [line] = csv(`${csvHeader}\n${row}\n`);
    expect(line).toMatchObject(E.right({ threshold: { overall: { unit, innerHigh: -20 } } }));
    const [cells] = parse(row);
    expect(cells?.[6]).not.toMatch(/^\s*[=+\-@＝]|^[\t\r\n]/u);
  });
});

describe('what export writes, import reads back', () => {
  property.prop([thresholds, fc.uuid()])('as ndjson, every threshold', (threshold, nodeId) => {
    const view = thresholdView(nodeId, threshold);
    const [line] = readNdjson(JSON.stringify(view));
    expect(line).toEqual(E.right({ line: 1, nodeId, threshold: JSON.parse(JSON.stringify(view)) }));
  });

  property.prop([thresholds, fc.uuid()])('as CSV, every threshold that its columns can report', (threshold, nodeId) => {
    const view = JSON.parse(JSON.stringify(thresholdView(nodeId, threshold)));
    const row = csvRow(view);
    const fits =
      threshold.inspection === undefined && threshold.bandAlarms === undefined && threshold.halAlarms === undefined;
    if (!fits) expect(E.isLeft(row)).toBe(true);
    if (E.isLeft(row)) return;
    const [back] = csv(`${csvHeader}\n${row.right}\n`);
    expect(back).toMatchObject(E.right({ nodeId, threshold: view }));
  });
});
