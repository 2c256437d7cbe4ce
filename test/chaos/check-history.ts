import { chainFaults } from './check-chain';
import { readEvent, type StatusEvent, type StreamEvent, type ThresholdEvent } from './stream-event';
import type { Final, History, Write } from './history';
import { isDeepStrictEqual } from 'node:util';

/** A promise that a history breaks, and where. */
type Breach = { readonly promise: Promised; readonly nodeId: string; readonly found: string };

/**
 * lost: an acknowledged write has no event. torn: a write has only some of its events. uncommitted: a refused write has
 * events. repeated: an event is there twice. unasked: an event of no write. disordered: `sequenceId` does not rise.
 * overtaken: a write comes before one that was acknowledged before it was sent. chain: an event does not follow from the
 * one before it and its write. alarmsChanged: the flag is wrong. last: the last event is not what GET answers.
 * malformed: an entry that is no event.
 */
export type Promised =
  | 'lost'
  | 'torn'
  | 'uncommitted'
  | 'repeated'
  | 'unasked'
  | 'disordered'
  | 'overtaken'
  | 'chain'
  | 'alarmsChanged'
  | 'last'
  | 'malformed';

/** How many writes and events a history has, and every promise it breaks. */
export interface Verdict {
  readonly writes: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  /** Of the unknown ones, those that were carried out. */
  readonly carriedOut: number;
  readonly events: number;
  readonly breaches: ReadonlyArray<Breach>;
}

/** Checks everything that the service promises of its events (docs/events.md, "Order, repeats and gaps") against `history`. */
export const checkHistory = ({ writes, entries, finals }: History): Verdict => {
  const events: StreamEvent[] = [];
  const breaches: Breach[] = [];
  for (const entry of entries) {
    const event = readEvent(entry);
    if (typeof event === 'string')
      breaches.push({ promise: 'malformed', nodeId: String(entry['aggregateId']), found: event });
    else events.push(event);
  }
  const byWrite = grouped(events, ({ userId }) => userId);
  const byNode = grouped(events, ({ nodeId }) => nodeId);
  const byId = new Map(writes.map((write) => [write.id, write]));
  const count = (wanted: Write['answer']): number => writes.filter(({ answer }) => answer === wanted).length;
  return {
    writes: writes.length,
    acknowledged: count('acknowledged'),
    refused: count('refused'),
    unknown: count('unknown'),
    carriedOut: writes.filter(({ id, answer }) => answer === 'unknown' && byWrite.has(id)).length,
    events: events.length,
    breaches: [
      ...breaches,
      ...writes.flatMap((write) => writeBreaches(write, byWrite.get(write.id) ?? [])),
      ...[...byNode].flatMap(([nodeId, ofNode]) => [
        ...unasked(ofNode, byId),
        ...orderBreaches(ofNode),
        ...overtaken(ofNode, byId),
        ...chainFaults(ofNode, byId).map((fault): Breach => ({ ...fault, nodeId })),
      ]),
      ...finals.flatMap((final) => lastBreaches(final, byNode.get(final.nodeId) ?? [])),
    ],
  };
};

/** The types of the events of one write, in order. */
const expectedOf = ({ asked }: Write): ReadonlyArray<StreamEvent['type']> =>
  asked.kind === 'setThreshold' || asked.kind === 'patchThreshold'
    ? ['SetPointAlarmThresholdEvent', 'PointAlarmStatusEvent']
    : ['PointAlarmStatusEvent'];

const writeBreaches = (write: Write, events: ReadonlyArray<StreamEvent>): ReadonlyArray<Breach> => {
  const { id, nodeId, answer, asked } = write;
  const breach = (promise: Promised): Breach => ({ promise, nodeId, found: `${asked.kind} of ${id}, ${answer}` });
  const expected = expectedOf(write);
  const have = events.map(({ type }) => type);
  if (have.length === 0) return answer === 'acknowledged' ? [breach('lost')] : [];
  const wrong: Breach[] = [];
  if (answer === 'refused') wrong.push(breach('uncommitted'));
  if (new Set(have).size < have.length) wrong.push(breach('repeated'));
  if (expected.some((type) => !have.includes(type))) wrong.push(breach('torn'));
  return wrong;
};

const unasked = (events: ReadonlyArray<StreamEvent>, byId: ReadonlyMap<string, Write>): ReadonlyArray<Breach> =>
  events
    .filter(({ userId, nodeId }) => byId.get(userId)?.nodeId !== nodeId)
    .map(({ nodeId, userId, sequenceId }) => ({ promise: 'unasked', nodeId, found: `${sequenceId} of ${userId}` }));

const orderBreaches = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Breach> =>
  events.flatMap(({ nodeId, sequenceId }, index): ReadonlyArray<Breach> => {
    const before = events[index - 1]?.sequenceId;
    if (before === undefined || before < sequenceId) return [];
    return [
      { promise: before === sequenceId ? 'repeated' : 'disordered', nodeId, found: `${sequenceId} after ${before}` },
    ];
  });

/** What was answered before another write was sent must stand before it. */
const overtaken = (events: ReadonlyArray<StreamEvent>, byId: ReadonlyMap<string, Write>): ReadonlyArray<Breach> => {
  let latest: Write | undefined;
  return events.flatMap(({ nodeId, userId }): ReadonlyArray<Breach> => {
    const write = byId.get(userId);
    if (write === undefined || write === latest) return [];
    const wrong = latest !== undefined && write.answeredAt < latest.sentAt ? [latest.id] : [];
    if (latest === undefined || write.sentAt > latest.sentAt) latest = write;
    return wrong.map((id) => ({ promise: 'overtaken', nodeId, found: `${userId} comes after ${id}` }));
  });
};

const lastBreaches = (final: Final, events: ReadonlyArray<StreamEvent>): ReadonlyArray<Breach> => {
  const { nodeId, alarmStatus, threshold } = final;
  const status = events.findLast((event): event is StatusEvent => event.type === 'PointAlarmStatusEvent');
  const set = events.findLast((event): event is ThresholdEvent => event.type === 'SetPointAlarmThresholdEvent');
  const breach = (event: unknown, answered: unknown): Breach => ({
    promise: 'last',
    nodeId,
    found: `GET says ${JSON.stringify(answered)}, the last event ${JSON.stringify(event)}`,
  });
  const fromStream = status && { nodeId, updatedAt: status.updatedAt, status: status.alarmStatus, ...status.parts };
  const last = set?.threshold;
  return [
    ...(isDeepStrictEqual(fromStream, alarmStatus) ? [] : [breach(fromStream, alarmStatus)]),
    ...(isDeepStrictEqual(last, threshold) ? [] : [breach(last, threshold)]),
  ];
};

const grouped = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, A[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
};
