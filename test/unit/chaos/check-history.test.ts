import { describe, expect, test } from 'vitest';
import { checkHistory, type Promised } from '../../chaos/check-history';
import type { Asked, Entry, History, JsonObject, Answer, Write } from '../../chaos/history';
import { anId, nodeId, START } from '../../support/scenario';
import { applyCommand } from '../../../workflows/domain/node/apply-group';
import { newNode, type Node, alarmStatusView, revisedThreshold } from '../../../workflows/domain/node/state';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { commandOf } from '../../chaos/load/requests';
import { rightOf } from '../../support/either';

/** A write of a recorded history; `commits` false: the node lost it again, and whoever asks for it is not told that it is done. */
type Step = { readonly asked: Asked; readonly answer?: Answer; readonly commits?: boolean };

/** The events of one write, and whether they were committed. */
type Batch = { readonly committed: boolean; readonly events: ReadonlyArray<OutboxEvent> };

/** What a publisher makes of the batches that a node brings forth, in order. */
type Publishes = (batches: ReadonlyArray<Batch>) => ReadonlyArray<OutboxEvent>;

/** Publishes what was committed: all of it, once, in order. */
const faithfully: Publishes = (batches) => batches.filter(({ committed }) => committed).flatMap(({ events }) => events);

const userOf = (index: number): string => anId(1_000 + index);

/** What comes of `writes` to one real node, one after the other, when its events are published like that. */
const sampleHistory = (writes: ReadonlyArray<Step>, publishes: Publishes = faithfully): History => {
  let node: Node = newNode(nodeId);
  const batches = writes.map(({ asked, commits = true }, index): Batch => {
    const { name, ...payload } = commandOf(asked);
    const given = { ...payload, userId: userOf(index) };
    const accepted = rightOf(applyCommand(node, name, given, START + index * 1_000));
    const events = accepted.node.outbox.waiting.slice(node.outbox.waiting.length);
    if (commits) node = accepted.node;
    return { committed: commits, events };
  });
  const final = {
    nodeId,
    alarmStatus: plain(alarmStatusView(node.state)),
    threshold: plain(revisedThreshold(node.state).threshold),
  };
  return { writes: writes.map(writeOf), entries: publishes(batches).map(entryOf), finals: [final] };
};

const writeOf = ({ asked, answer = 'acknowledged' }: Step, index: number): Write => ({
  id: userOf(index),
  nodeId,
  asked,
  sentAt: index * 10,
  answeredAt: answer === 'unknown' ? Infinity : index * 10 + 5,
  answer,
});

const entryOf = ({ type, sequenceId, timestamp, userId, data }: OutboxEvent): Entry => ({
  'Vendor.Hierarchy.EventType': type,
  'Vendor.Hierarchy.Aggregate': nodeId,
  aggregateId: nodeId,
  sequenceId,
  timestamp: String(timestamp),
  type,
  data: JSON.stringify(data),
  userId,
});

const plain = (view: object): JsonObject => JSON.parse(JSON.stringify(view)) as JsonObject;

const threshold = (outerHigh: number): Asked => ({
  kind: 'setThreshold',
  threshold: { thresholdType: 2, overall: { unit: 'C', outerHigh, innerHigh: 50, innerLow: 20, outerLow: 10 } },
});
const measurement = (n: number, createdAt = START + n): Asked => ({
  kind: 'recordMeasurement',
  measurementId: anId(n),
  createdAt,
});
const external = (n: number, status = 3): Asked => ({ kind: 'setExternalAlarm', status, setBy: anId(n) });
const patch = (fullScale: number): Asked => ({ kind: 'patchThreshold', fullScale });
const recalculate: Asked = { kind: 'recalculate' };

/** Every kind of write, and both statuses of the overall alarm. */
const life: ReadonlyArray<Step> = [
  { asked: threshold(70) },
  { asked: measurement(2) },
  { asked: external(3) },
  { asked: patch(100) },
  { asked: recalculate },
  { asked: measurement(5) },
  { asked: measurement(7, START + 1) }, // older than the one before: rated, and forgotten by the next recalculation
  { asked: recalculate },
  { asked: threshold(71) },
  { asked: external(8, 4) },
];
const LAST = life.length - 1;

const broken = (history: History): ReadonlySet<Promised> =>
  new Set(checkHistory(history).breaches.map(({ promise }) => promise));

test('a history without fault has none, and is counted', () => {
  expect(checkHistory(sampleHistory(life))).toEqual({
    writes: 10,
    acknowledged: 10,
    refused: 0,
    unknown: 0,
    carriedOut: 0,
    events: 13,
    breaches: [],
  });
});

test('a write of unknown fate may be carried out or not', () => {
  const done = sampleHistory([...life, { asked: measurement(11), answer: 'unknown' }]);
  const lost = sampleHistory([...life, { asked: measurement(11), answer: 'unknown', commits: false }]);
  expect(checkHistory(done)).toMatchObject({ unknown: 1, carriedOut: 1, breaches: [] });
  expect(checkHistory(lost)).toMatchObject({ unknown: 1, carriedOut: 0, breaches: [] });
});

test('a refused write leaves nothing', () => {
  const history = sampleHistory([...life, { asked: measurement(11), answer: 'refused', commits: false }]);
  expect(checkHistory(history)).toMatchObject({ refused: 1, breaches: [] });
});

describe('a publisher is caught', () => {
  const without =
    (at: number): Publishes =>
    (batches) =>
      faithfully(batches).filter((_, index) => index !== at);
  test.each([0, 4, 9, 12])('that drops event %i', (at) => {
    const found = broken(sampleHistory(life, without(at)));
    expect(found.has('lost') || found.has('torn')).toBe(true);
  });

  test.each([0, 12])('that repeats event %i at once', (at) => {
    const twice: Publishes = (batches) =>
      faithfully(batches).flatMap((event, index) => (index === at ? [event, event] : [event]));
    expect(broken(sampleHistory(life, twice))).toContain('repeated');
  });

  test.each([0, 5, 11])('that swaps event %i with the next', (at) => {
    const swapped: Publishes = (batches) => {
      const events = [...faithfully(batches)];
      events.splice(at, 2, events[at + 1]!, events[at]!);
      return events;
    };
    expect(broken(sampleHistory(life, swapped))).toContain('disordered');
  });

  const early: Publishes = (batches) => batches.flatMap(({ events }) => events);
  const lost = { answer: 'unknown', commits: false } as const;
  test.each<readonly [string, ReadonlyArray<Step>, Promised]>([
    ['refused', [...life, { asked: measurement(11), answer: 'refused', commits: false }], 'uncommitted'],
    ['lost again, at the end', [...life, { ...lost, asked: measurement(11) }], 'last'],
    ['lost again, in between', [...life, { ...lost, asked: external(11) }, { asked: measurement(12) }], 'chain'],
  ])('that publishes before the commit a write that was %s', (_, writes, promise) => {
    expect(broken(sampleHistory(writes, early))).toContain(promise);
  });
});

describe('a wrong event is caught', () => {
  const changed = (at: number, change: (data: JsonObject) => JsonObject): History => {
    const history = sampleHistory(life);
    const entries = history.entries.map((entry, index): Entry => {
      if (index !== at) return entry;
      return { ...entry, data: JSON.stringify(change(JSON.parse(String(entry['data'])) as JsonObject)) };
    });
    return { ...history, entries };
  };
  const STATUS_EVENTS = [1, 6, 12];
  test.each(STATUS_EVENTS)('alarmsChanged of event %i turned round', (at) => {
    expect(broken(changed(at, (data) => ({ ...data, alarmsChanged: data['alarmsChanged'] !== true })))).toEqual(
      new Set(['alarmsChanged']),
    );
  });
  test.each([
    [3, 'externalAlarm', { status: 3, setBy: anId(99) }],
    [2, 'overallAlarm', { status: 4, triggeringMeasurement: anId(99) }],
    [4, 'threshold', { nodeId, fullScale: 1 }],
    [3, 'updatedAt', 17],
    [3, 'sequenceId', 'another'],
    [3, 'userId', anId(98)],
  ])('event %i with another %s', (at, name, value) => {
    const found = broken(changed(at, (data) => ({ ...data, [name]: value })));
    expect(found.has('chain') || found.has('malformed')).toBe(true);
  });
  test('one that cannot be read', () => {
    const at = 5;
    const history = sampleHistory(life);
    const entries = history.entries.map((entry, index) => (index === at ? { ...entry, data: '{"half": ' } : entry));
    expect(broken({ ...history, entries })).toContain('malformed');
  });
  test('one that nobody asked for', () => {
    const history = sampleHistory(life);
    expect(broken({ ...history, writes: history.writes.slice(1) })).toContain('unasked');
  });
});

describe('what GET answers in the end', () => {
  test.each(['updatedAt', 'status'])('is compared with the last event: %s', (name) => {
    const history = sampleHistory(life);
    const finals = history.finals.map((final) => ({ ...final, alarmStatus: { ...final.alarmStatus, [name]: 1 } }));
    expect(broken({ ...history, finals })).toEqual(new Set(['last']));
  });
  test('a node of whom nothing was published', () => {
    const { writes, finals } = sampleHistory(life);
    expect(broken({ writes, finals, entries: [] })).toEqual(new Set(['lost', 'last']));
  });
});

test('a write that overtakes one acknowledged before it was sent is caught', () => {
  const history = sampleHistory(life);
  const writes = history.writes.map((write) =>
    write.id === userOf(LAST) ? { ...write, sentAt: 0, answeredAt: 1 } : write,
  );
  expect(broken({ ...history, writes })).toEqual(new Set(['overtaken']));
});
