import { createColors } from 'picocolors';
import { describe, expect, test } from 'vitest';
import { boardLines, putEvent } from '../../../../cli/commands/top';
import { eventLine, isWanted, type EventFilter } from '../../../../cli/commands/watch';
import type { Status } from '../../../../workflows/domain/alarm/status';
import type { StreamEvent } from '../../../../workflows/domain/node/events';
import { anId, START } from '../../../support/scenario';

const plain = createColors(false);
const sequenceId = '01KG9NB6J2E8A1QJ5W3C9Z7T4R';
const statusOf = (n: number, alarmStatus: Status, about: object = {}): StreamEvent => ({
  type: 'PointAlarmStatusEvent',
  aggregateId: anId(n),
  userId: 'u',
  sequenceId,
  updatedAt: START,
  alarmStatus,
  alarmsChanged: false,
  ...about,
});
const thresholdOf = (n: number): Extract<StreamEvent, { type: 'SetPointAlarmThresholdEvent' }> => ({
  type: 'SetPointAlarmThresholdEvent',
  aggregateId: anId(n),
  userId: 'u',
  sequenceId,
  updatedAt: START,
  threshold: { nodeId: anId(n), thresholdType: 2, overall: { unit: 'C', outerHigh: 70, innerLow: 0 } },
});

describe('an event in a line', () => {
  test('of a status: when, whether an alarm changed, status, node, parts', () => {
    const parts = { overallAlarm: { status: 4 }, bandAlarms: [{ status: 2 }, { status: 3 }, { status: 2 }] };
    expect(eventLine(plain, statusOf(1, 4, { alarmsChanged: true, ...parts }))).toBe(
      `2026-01-31T10:00:00.000Z * DANGER         ${anId(1)}  overall DANGER, bands 1 ALERT 2 GOOD`,
    );
  });

  test('of a threshold: its kinds and limits', () => {
    expect(eventLine(plain, thresholdOf(1))).toBe(
      `2026-01-31T10:00:00.000Z   threshold      ${anId(1)}  overall type 2 - 0 - 70 C`,
    );
  });

  test('lets no text of others steer the terminal', () => {
    const event = { ...thresholdOf(1), threshold: { nodeId: anId(1), overall: { unit: '\u001b[2J\u009b1m\r' } } };
    expect(eventLine(plain, event)).toMatch(/type 0 - - - - \?\[2J\?1m\?$/u);
  });

  test.each<[status: Status, code: string]>([
    [4, '\u001b[31m'],
    [3, '\u001b[33m'],
    [2, '\u001b[32m'],
    [1, '\u001b[2m'],
  ])('is coloured by its status %i on a terminal', (status, code) => {
    expect(eventLine(createColors(true), statusOf(1, status))).toContain(code);
  });
});

test.each<[name: string, filter: EventFilter, wanted: ReadonlyArray<boolean>]>([
  ['no filter', { changed: false }, [true, true, true, true]],
  ['a node', { node: [anId(2)], changed: false }, [false, true, false, true]],
  ['a least status', { changed: false, minStatus: 3 }, [false, true, true, false]],
  ['changes', { changed: true }, [false, false, true, false]],
])('%s lets pass what it says', (_name, filter, wanted) => {
  const events = [statusOf(1, 2), statusOf(2, 3), statusOf(3, 4, { alarmsChanged: true }), thresholdOf(2)];
  expect(events.map((event) => isWanted(filter, event))).toEqual(wanted);
});

describe('the board', () => {
  const board: Parameters<typeof putEvent>[0] = new Map();
  const events = [
    statusOf(1, 4),
    statusOf(2, 3, { updatedAt: START + 1 }),
    statusOf(3, 4, { updatedAt: START + 2, overallAlarm: { status: 4 } }),
    statusOf(4, 0),
    statusOf(1, 2),
    thresholdOf(5),
    statusOf(6, 3),
  ];
  for (const event of events) putEvent(board, event);

  test('holds the last status of each node, the worst first and of these the latest; it counts them', () => {
    expect(boardLines(board, plain, { rows: 9, columns: 99 }).map((line) => line.trimEnd())).toEqual([
      '5 nodes: 1 DANGER 2 ALERT 1 GOOD 1 NOT_CONFIGURED',
      expect.stringMatching(/^STATUS +NODE +UPDATED +CHANGES +PARTS$/u),
      ...[
        ['DANGER', 3],
        ['ALERT', 2],
        ['ALERT', 6],
        ['GOOD', 1],
        ['NOT_CONFIGURED', 4],
      ].map(([status, n]) => expect.stringMatching(new RegExp(`^${status} +${anId(Number(n))} `, 'u'))),
    ]);
    expect(boardLines(new Map(), plain, { rows: 9, columns: 99 })[0]).toBe('0 nodes');
  });

  test('is cut to the rows and columns that there are', () => {
    expect(boardLines(board, plain, { rows: 1, columns: 94 }, undefined, START)).toEqual([
      '5 nodes: 1 DANGER 2 ALERT 1 GOOD 1 NOT_CONFIGURED',
      `STATUS  NODE                                  UPDATED                   CHANGES  PARTS`,
      `DANGER  ${anId(3)}  2026-01-31T10:00:00.002Z  0/h 0/d  overall DANGE`,
    ]);
  });

  test('counts how often the alarms of a node changed, also by older entries; the API says nothing of that', () => {
    const row = (own: typeof board): string =>
      boardLines(own, plain, { rows: 1, columns: 999 }, undefined, START)[2] ?? '';
    const own: typeof board = new Map();
    const change = (minutesAgo: number, status: Status, alarmsChanged = true) =>
      statusOf(1, status, { updatedAt: START - minutesAgo * 60_000, alarmsChanged });
    for (const event of [change(30, 4), change(20, 4, false), change(10, 3)]) putEvent(own, event);
    for (const event of [change(90, 2), change(100, 4), change(25 * 60, 2)]) putEvent(own, event, true);
    expect(row(own)).toContain('ALERT   00000000');
    expect(row(own)).toContain('  2/h 4/d');
    const asked = new Map([['n', { nodeId: 'n', status: 2 as const, updatedAt: START, parts: 'overall GOOD' }]]);
    expect(boardLines(asked, plain, { rows: 1, columns: 99 })[1]).not.toContain('CHANGES');
  });

  test('shows who looks after a node, where Alertmanager was asked', () => {
    const of = { id: 'x', node: anId(3), at: '2026-01-31T09:00:00Z', until: '2026-01-31T14:00:00.000Z', comment: '' };
    const lasting = [
      { ...of, part: 'overall', by: 'mary' },
      { ...of, part: null, by: 'jo\u001b[2J' },
    ];
    const [, heads, first, second] = boardLines(board, plain, { rows: 2, columns: 999 }, lasting, START);
    expect(heads).toMatch(/UPDATED +CHANGES +ACKNOWLEDGED +PARTS$/u);
    expect(first).toMatch(
      / overall by mary until 2026-01-31T14:00Z; by jo\?\[2J until 2026-01-31T14:00Z +overall DANGER$/u,
    );
    expect(second).not.toContain('until');
  });
});
