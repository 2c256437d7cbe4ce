import { describe, expect, test } from 'vitest';
import { describeNode } from '../../../workflows/domain/node/describe-node';
import {
  anId,
  dataPoint,
  nodeAfter,
  nodeId,
  overall,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
  spectrum,
  userId,
} from '../../scenario';

const linesOf = (...given: Parameters<typeof nodeAfter>): ReadonlyArray<string> =>
  describeNode(nodeAfter(...given)).split('\n');

describe('a node, as an operator reads it', () => {
  test('that was never touched', () => {
    expect(linesOf([])).toEqual([
      '## NOT_CONFIGURED',
      '',
      `Node \`${nodeId}\`, updated never, 0 unpublished events`,
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
      `Node \`${nodeId}\`, updated 2026-01-31T10:00:02.000Z, 4 unpublished events`,
      '',
      '| Alarm | Status | Measurement |',
      '| --- | --- | --- |',
      `| overall | DANGER | ${anId(1)} |`,
      `| rate of change | GOOD | ${anId(1)} |`,
      '| external | ALERT |  |',
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
    expect(lines).toContain('| and 10 more: query alarmStatus |  |  |');
  });

  test('of just twenty alarms: all are listed', () => {
    const bandAlarms = Array.from({ length: 20 }, () => ({}));
    const lines = linesOf([setThreshold({ bandAlarms })]);
    expect(lines.filter((line) => line.startsWith('| band'))).toHaveLength(20);
    expect(lines.some((line) => line.includes('more'))).toBe(false);
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
    expect(rowOf(label)).toBe(`| band 0 ${then} | NO_DATA |  |`);
  });

  test('in a unit, and in the name of a user', () => {
    const lines = linesOf([setThreshold({ ...overall, overall: { unit: '`|`' } }, { userId: '`x`|y' })]);
    expect(lines).toContain('| overall |  |  |  |  | ` ` |');
    expect(lines.at(-1)).toBe('Threshold revision 1, set by ` x y` 2026-01-31T10:00:00.000Z');
  });
});
