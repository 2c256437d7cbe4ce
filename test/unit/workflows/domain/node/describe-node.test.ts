import { describe, expect, test } from 'vitest';
import { describeNode } from '../../../../../workflows/domain/node/describe-node';
import { newNode } from '../../../../../workflows/domain/node/node';
import {
  anId,
  answers,
  dataPoint,
  inspection,
  nodeAfter,
  nodeId,
  overall,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
  spectrum,
  userId,
} from '../../../../support/scenario';

const linesOf = (...given: Parameters<typeof nodeAfter>): ReadonlyArray<string> =>
  describeNode(nodeAfter(...given)).split('\n');

describe('a node, as an operator reads it', () => {
  test('that was never touched', () => {
    expect(linesOf([])).toEqual([
      '## NOT_CONFIGURED',
      '',
      `Node \`${nodeId}\`, updated never, all events published`,
      '',
      'Threshold revision 0',
    ]);
  });

  test('with limits, alarms, measurements and events that wait', () => {
    const given = [
      setThreshold({ ...overall, rateOfChange: { innerHigh: 0.5 } }),
      recordMeasurement(dataPoint(15, { rateOfChange: 0 })),
      setExternalAlarm({ status: 3, setBy: anId(7) }),
    ];
    expect(linesOf(given)).toEqual([
      '## DANGER',
      '',
      expect.stringMatching(
        new RegExp(
          `^Node \`${nodeId}\`, updated 2026-01-31T10:00:02.000Z, 4 unpublished events of \\d{4} bytes, the oldest of 2026-01-31T10:00:00.000Z$`,
          'u',
        ),
      ),
      '',
      '| Alarm | Status | Value | Limits | Measurement |',
      '| --- | --- | --- | --- | --- |',
      '| overall | DANGER | 15 `mm/s` | below | 00000000 |',
      '| rate of change | GOOD | 0 | below | 00000000 |',
      '| external | ALERT |  | set by `00000000` |  |',
      '',
      '| Limits | outerLow | innerLow | innerHigh | outerHigh | Unit |',
      '| --- | --- | --- | --- | --- | --- |',
      '| overall | -20 | -10 | 10 | 20 | `mm/s` |',
      '| rate of change |  |  | 0.5 |  |  |',
      '',
      '| Latest | Id | Created |',
      '| --- | --- | --- |',
      `| DATA_POINT | ${anId(1)} | 2026-01-31T09:00:00.000Z |`,
      `| rateOfChange | ${anId(1)} | 2026-01-31T09:00:00.000Z |`,
      '',
      `Threshold revision 1, set by \`${userId}\` 2026-01-31T10:00:00.000Z`,
    ]);
  });

  test('of many bands and HALs: twenty are listed, the others counted', () => {
    const bandAlarms = Array.from({ length: 15 }, (_, index) => ({ label: `${index}x` }));
    const halAlarms = Array.from({ length: 15 }, (_, index) => ({ label: `HAL ${index}` }));
    const lines = linesOf([setThreshold({ bandAlarms, halAlarms }), recordMeasurement(spectrum([]))]);
    expect(lines.filter((line) => line.startsWith('| band') || line.startsWith('| HAL'))).toHaveLength(20);
    expect(lines).toContain('| and 10 more: query alarmStatus |  |  |  |  |');
  });

  test('of just twenty alarms: all are listed', () => {
    const bandAlarms = Array.from({ length: 20 }, () => ({}));
    const lines = linesOf([setThreshold({ bandAlarms })]);
    expect(lines.filter((line) => line.startsWith('| band'))).toHaveLength(20);
    expect(lines.some((line) => line.includes('more'))).toBe(false);
  });
});

describe('a row of an alarm', () => {
  const rowsOf = (...given: Parameters<typeof nodeAfter>): ReadonlyArray<string> =>
    linesOf(...given).filter((line) => /^\| (overall|rate|inspection|external|band|HAL)[^|]*\| [A-Z]/u.test(line));

  test('of a band tells its energy, and its limits with their base', () => {
    const limits = (valueType: number) => ({
      unit: 'mm/s',
      upperAlert: { value: 0.5, valueType },
      upperDanger: { value: 1, valueType },
    });
    const bandAlarms = [
      { label: '1x', overallThreshold: limits(1) },
      { overallThreshold: limits(2) },
      { overallThreshold: limits(3) },
      { overallThreshold: { upperDanger: { value: 2, valueType: 1 } } },
      {},
    ];
    const measured = spectrum([
      { x: 10, y: 1 / 3 },
      { x: 20, y: 0 },
    ]);
    const threshold = { ...overall, bandAlarms, fullScale: 100 };
    expect(rowsOf([setThreshold(threshold), recordMeasurement(measured)]).slice(1)).toEqual([
      `| band 0 \`1x\` | GOOD | 0.333333 \`mm/s\` | alert 0.5 danger 1 \`mm/s\` | 00000000 |`,
      `| band 1 | GOOD | 0.333333 \`mm/s\` | alert 0.5 of full scale danger 1 of full scale \`mm/s\` | 00000000 |`,
      `| band 2 | GOOD | 0.333333 \`mm/s\` | alert 0.5 of overall danger 1 of overall \`mm/s\` | 00000000 |`,
      `| band 3 | GOOD | 0.333333 \`mm/s\` | danger 2 | 00000000 |`,
      `| band 4 | GOOD | 0.333333 \`mm/s\` |  | 00000000 |`,
    ]);
  });

  test('of a HAL tells its index and frequency, or why there are none', () => {
    const bearing = { manufacturer: 'SKF', modelNumber: '6205' };
    const halAlarms = [
      { label: 'BPFO', bearing, upperAlert: 4, upperDanger: 8 },
      { label: 'BPFI', bearing: { manufacturer: 'SKF', modelNumber: 'none' }, upperDanger: 8 },
    ];
    const lines = Array.from({ length: 2_000 }, (_, x) => ({ x: x / 2, y: x % 7 === 0 ? 2 : 1 }));
    const [first, second] = rowsOf([setThreshold({ halAlarms }), recordMeasurement(spectrum(lines))]);
    expect(first).toMatch(/^\| HAL 0 `BPFO` \| GOOD \| 2 at 89\.6194 Hz \| alert 4 danger 8 \| /u);
    expect(second).toMatch(/^\| HAL 1 `BPFI` \| NO_DATA \| `.*bearing.*` \| danger 8 \| /u);
  });

  test('of an inspection tells the answers', () => {
    expect(rowsOf([setThreshold(inspection), recordMeasurement(answers(['worn', 'a | b']))])).toEqual([
      `| inspection | ALERT | \`worn, a b\` | 3 choices | 00000000 |`,
    ]);
  });

  test('tells no value of a measurement that did not rate it', () => {
    const older = dataPoint(99, { measurementId: anId(9), createdAt: '2025-01-01T00:00:00Z' });
    const given = [setThreshold(overall), recordMeasurement(dataPoint(15)), recordMeasurement(older)];
    expect(rowsOf(given)).toEqual([`| overall | DANGER |  | below | 00000000 |`]);
  });

  test('of parts that the threshold does not name tells their positions', () => {
    const { state, outbox } = newNode(nodeId);
    const parts = { bands: [{ status: 2 }], hals: [{ status: 2 }] } as const;
    const rows = describeNode({ state: { ...state, parts }, outbox }).split('\n');
    expect(rows).toContain('| band 0 | GOOD |  |  |  |');
    expect(rows).toContain('| HAL 0 | GOOD |  |  |  |');
  });

  test('of an external alarm that nobody set by name says no more', () => {
    expect(rowsOf([setExternalAlarm({ status: 2 })])).toEqual(['| external | GOOD |  |  |  |']);
  });
});

describe('text of callers is shown as code, and none of its mark-up takes effect', () => {
  const rowOf = (label: string): string =>
    linesOf([setThreshold({ bandAlarms: [{ label }] })]).find((line) => line.startsWith('| band 0')) ?? '';

  test.each<[name: string, label: string, then: string]>([
    ['plain', 'motor 1x', '`motor 1x`'],
    ['none', '', ''],
    ['another column', 'a | b', '`a b`'],
    ['an end of the code', 'a` **b** `c', '`a **b** c`'],
    ['another line', 'a\n# b\r\nc\u2028d\u0085e', '`a # b c d e`'],
    ['a table of its own', '|\n|---|\n|x', '` --- x`'],
    ['HTML', '<script>alert(1)</script>', '`<script>alert(1)</script>`'],
    ['a link', '[here](https://example.org)', '`[here](https://example.org)`'],
    ['an escape', '\\', '`\\`'],
    ['control characters', 'a\u0000b\u001bc', '`a b c`'],
    ['text that turns around', 'a\u202eb\u2066c', '`a b c`'],
    ['half a character', 'a\ud83db', '`a b`'],
    ['more than 60 characters', 'x'.repeat(100), `\`${'x'.repeat(60)}\``],
    ['more than 60 characters of two units', '😀'.repeat(100), `\`${'😀'.repeat(60)}\``],
  ])('%s', (_name, label, then) => {
    expect(rowOf(label)).toBe(`| band 0${then === '' ? '' : ` ${then}`} | NO_DATA |  |  |  |`);
  });

  test('in a unit, and in the name of a user', () => {
    const lines = linesOf([setThreshold({ ...overall, overall: { unit: '`|`' } }, { userId: '`x`|y' })]);
    expect(lines).toContain('| overall |  |  |  |  | ` ` |');
    expect(lines.at(-1)).toBe('Threshold revision 1, set by ` x y` 2026-01-31T10:00:00.000Z');
  });
});

test('events that are left to the API are told apart from those that the node has to publish', () => {
  const node = nodeAfter([setThreshold(overall)]);
  const [first = ''] = node.outbox.waiting.map(({ sequenceId }) => sequenceId);
  const told = (owed: string): string => describeNode(node, owed).split('\n')[2] ?? '';
  expect(told('')).toContain('events left to the API to publish: 2');
  expect(told(first)).toContain('2 unpublished events of');
});
