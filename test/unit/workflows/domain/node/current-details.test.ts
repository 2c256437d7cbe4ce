import { describe, expect, test } from 'vitest';
import { describeNode } from '../../../../../workflows/domain/node/current-details';
import { newNode } from '../../../../../workflows/domain/node/state';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../../../../support/commands';
import { answers, dataPoint, inspection, overall, spectrum } from '../../../../support/measurements';
import { anId, nodeAfter, nodeId, userId } from '../../../../support/scenario';

const linesOf = (...given: Parameters<typeof nodeAfter>): ReadonlyArray<string> =>
  describeNode(nodeAfter(...given)).split('\n');

describe('a node, as an operator reads it', () => {
  test('that was never touched', () => {
    expect(linesOf([])).toEqual([
      '## NOT_CONFIGURED',
      '',
      'Never changed',
      '',
      'All events are published',
      '',
      '### Threshold',
      '',
      'Never set',
      '',
      `Node \`${nodeId}\``,
    ]);
  });

  test('with limits, alarms, measurements and events that wait: the worst first', () => {
    const given = [
      setThreshold({ ...overall, rateOfChange: { innerHigh: 0.5 } }),
      recordMeasurement(dataPoint(15, { rateOfChange: 0 })),
      setExternalAlarm({ status: 3, setBy: anId(7) }),
    ];
    expect(linesOf(given)).toEqual([
      '## DANGER',
      '',
      'Last change: status updated 2026-01-31T10:00:02.000Z',
      '',
      expect.stringMatching(/^Not published: 4 events of \d{4} bytes, the oldest of 2026-01-31T10:00:00.000Z$/u),
      '',
      '### DANGER',
      '',
      '- overall: **15 `mm/s`**, outerLow -20, innerLow -10, innerHigh 10, outerHigh 20 `mm/s`, measurement `00000000`',
      '',
      '### ALERT',
      '',
      `- external: set by \`${anId(7)}\``,
      '',
      '### GOOD',
      '',
      '- rate of change: **0**, innerHigh 0.5, measurement `00000000`',
      '',
      '### Latest measurements',
      '',
      `- DATA_POINT: \`${anId(1)}\` of 2026-01-31T09:00:00.000Z`,
      `- rateOfChange: \`${anId(1)}\` of 2026-01-31T09:00:00.000Z`,
      '',
      '### Threshold',
      '',
      `Revision 1, type 2, regions read as literal, set by \`${userId}\` 2026-01-31T10:00:00.000Z`,
      '',
      `Node \`${nodeId}\``,
    ]);
  });

  const listed = (lines: ReadonlyArray<string>) => lines.filter((line) => /^- (?:band|HAL) /u.test(line));

  test.each([
    [20, []],
    [21, ['- and 1 alarm more: query `alarmStatus`']],
  ])('of %d alarms: all are listed, or the others counted', (count, more) => {
    const lines = linesOf([setThreshold({ bandAlarms: Array.from({ length: count }, () => ({})) })]);
    expect(listed(lines)).toHaveLength(20);
    expect(lines.filter((line) => line.includes('more'))).toEqual(more);
  });
});

describe('the line of an alarm', () => {
  const alarmsOf = (...given: Parameters<typeof nodeAfter>): ReadonlyArray<string> =>
    linesOf(...given).filter((line) => /^- (?:overall|rate|inspection|external|band|HAL)/u.test(line));

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
      { overallThreshold: { upperAlert: { value: 2, valueType: 1 } } },
      {},
    ];
    const measured = spectrum([
      { x: 10, y: 1 / 3 },
      { x: 20, y: 0 },
    ]);
    const threshold = { ...overall, bandAlarms, fullScale: 100 };
    expect(alarmsOf([setThreshold(threshold), recordMeasurement(measured)]).slice(0, -1)).toEqual([
      '- band 0 `1x`: **0.333333 `mm/s`**, ALERT from 0.5, DANGER from 1 `mm/s`, measurement `00000000`',
      '- band 1: **0.333333 `mm/s`**, ALERT from 0.5 of full scale, DANGER from 1 of full scale `mm/s`, measurement `00000000`',
      '- band 2: **0.333333 `mm/s`**, ALERT from 0.5 of overall, DANGER from 1 of overall `mm/s`, measurement `00000000`',
      '- band 3: **0.333333 `mm/s`**, DANGER from 2, measurement `00000000`',
      '- band 4: **0.333333 `mm/s`**, ALERT from 2, measurement `00000000`',
      '- band 5: **0.333333 `mm/s`**, measurement `00000000`',
    ]);
  });

  test('of a HAL tells its index, its frequency and how many harmonics were compared, or why there are none', () => {
    const bearing = { manufacturer: 'SKF', modelNumber: '6205' };
    const halAlarms = [
      { label: 'BPFO', bearing, upperAlert: 4, upperDanger: 8 },
      { label: 'BPFI', bearing: { manufacturer: 'SKF', modelNumber: 'none' }, upperDanger: 8 },
    ];
    const lines = Array.from({ length: 2_000 }, (_, x) => ({ x: x / 2, y: x % 7 === 0 ? 2 : 1 }));
    const [first, second] = alarmsOf([setThreshold({ halAlarms }), recordMeasurement(spectrum(lines))]);
    expect(first).toMatch(
      /^- HAL 0 `BPFO`: \*\*[\d.]+ at 89\.6194 Hz\*\*, 3\.58478 times the shaft, 10 harmonics compared, ALERT from 4, DANGER from 8, /u,
    );
    expect(second).toMatch(/^- HAL 1 `BPFI`: \*\*`.*bearing.*`\*\*, DANGER from 8, /u);
  });

  test('of a HAL that alarms tells what it found', () => {
    const halAlarms = [{ label: '3x', upperAlert: 4 }, { label: '7x' }];
    const lines = Array.from({ length: 2_000 }, (_, x) => ({ x: x / 2, y: x % 150 === 0 ? 30 : 1 + (x % 7) / 7 }));
    const page = linesOf([setThreshold({ halAlarms }), recordMeasurement(spectrum(lines))]);
    expect(page).toContainEqual(
      expect.stringMatching(
        /^- HAL 0 .*; expected at 75 Hz \(3 x 25 Hz by the speed given\), found at 75 Hz, 0 % above; its harmonics exceed the noise floor by /u,
      ),
    );
    expect(page.filter((line) => line.includes('expected at'))).toHaveLength(1);
  });

  test('of an inspection tells the answers', () => {
    expect(alarmsOf([setThreshold(inspection), recordMeasurement(answers(['worn', 'a | b']))])).toEqual([
      '- inspection: **`worn, a b`**, one of 3 choices, measurement `00000000`',
    ]);
  });

  test('tells no value of a measurement that did not rate it', () => {
    const older = dataPoint(99, { measurementId: anId(9), createdAt: '2025-01-01T00:00:00Z' });
    const given = [setThreshold(overall), recordMeasurement(dataPoint(15)), recordMeasurement(older)];
    expect(alarmsOf(given)).toEqual([
      '- overall: outerLow -20, innerLow -10, innerHigh 10, outerHigh 20 `mm/s`, measurement `00000000`',
    ]);
  });

  test('of parts that the threshold does not name tells their names', () => {
    const { state, outbox } = newNode(nodeId);
    const of = { status: 2 } as const;
    const parts = { overall: of, rateOfChange: of, inspection: of, bands: [of], hals: [of] };
    const lines = describeNode({ state: { ...state, parts }, outbox }).split('\n');
    expect(lines.filter((line) => line.startsWith('- '))).toEqual([
      '- overall',
      '- rate of change',
      '- inspection: one of 0 choices',
      '- band 0',
      '- HAL 0',
    ]);
  });

  test('of an external alarm that nobody set by name says no more', () => {
    expect(alarmsOf([setExternalAlarm({ status: 2 })])).toEqual(['- external']);
  });
});

describe('text of callers is shown as code, and none of its mark-up takes effect', () => {
  const lineOf = (label: string): string =>
    linesOf([setThreshold({ bandAlarms: [{ label }] })]).find((line) => line.startsWith('- band 0')) ?? '';

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
  ])('%s', (_name, label, then) => expect(lineOf(label)).toBe(`- band 0${then === '' ? '' : ` ${then}`}`));

  test('in a unit, and in the name of a user', () => {
    const lines = linesOf([setThreshold({ ...overall, overall: { unit: '`|`', innerHigh: 1 } }, { userId: '`x`|y' })]);
    expect(lines).toContain('- overall: innerHigh 1 ` `');
    expect(lines).toContain('Revision 1, type 2, regions read as literal, set by ` x y` 2026-01-31T10:00:00.000Z');
  });
});

test('events that are left to the API are told apart from those that the node has to publish', () => {
  const node = nodeAfter([setThreshold(overall)]);
  const [first = ''] = node.outbox.waiting.map(({ sequenceId }) => sequenceId);
  const publicationLine = (owed: string): string => describeNode(node, owed).split('\n')[4] ?? '';
  expect(publicationLine('')).toContain('Left to the API to publish: 2 events');
  expect(publicationLine(first)).toContain('Not published: 2 events of');
});
