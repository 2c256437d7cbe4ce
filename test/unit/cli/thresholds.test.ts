import { fc, test as property } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { describe, expect, test, vi } from 'vitest';
import { csvHeader, csvRow, readCsv } from '../../../cli/thresholds/csv';
import { readNdjson } from '../../../cli/thresholds/ndjson';
import { eachNodeOnce, type Line } from '../../../cli/thresholds/threshold-line';
import { thresholdView } from '../../../workflows/domain/threshold/threshold-view';
import { thresholds } from '../../support/arbitraries/threshold';
import { anId } from '../../support/scenario';

// Many runs of a law; the time that they take says nothing.
vi.setConfig({ testTimeout: 60_000 });

const [one, two] = [anId(1), anId(2)];
const csv = (text: string): ReadonlyArray<Line> => {
  const read = readCsv(text);
  if (E.isLeft(read)) throw new Error(read.left);
  return read.right;
};
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

describe('an NDJSON file', () => {
  test('holds a document a line and names the line of each fault', () => {
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
});

test('a node that stands in two lines is refused in the second, in whatever case', () => {
  const lines = eachNodeOnce(readNdjson(`{"nodeId":"${one}"}\n{"nodeId":"${two}"}\n{"nodeId":"${one.toUpperCase()}"}`));
  expect(faults(lines)).toEqual(['3: nodeId is that of line 1 already']);
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

  test('as CSV, an overall alarm with a unit that wants quotes', () => {
    const view = { nodeId: one, thresholdType: 2, overall: { unit: ' a,"b"\n', innerHigh: 0.1 } } as const;
    const row = csvRow(view);
    expect(row).toEqual(E.right(`${one},2,,,0.1,," a,""b""\n",,,,,,`));
  });
});
