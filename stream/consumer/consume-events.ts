import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { backoffMs, pause } from '../../process/backoff';
import { createLog } from '../../process/log';
import { counter, gauge } from '../../process/metrics';
import { reasonOf } from '../../process/reason-of';
import type { RedisSettings } from '../../process/settings';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { connectRedis } from '../connection';
import type { Entry } from '../entry';
import type { RedisLink } from '../link';
import { claimedEntries, ensureGroup, lagOf, newEntries, ownEntries, releaseEntries, type Group } from './group';
import { handleEntry, isKeyPart, keepOf, outcomes, type Consumer, type Done, type Handle } from './handle-entry';

/** A consumer of the stream: what it reads, and what it does with each event. */
export interface ConsumerOptions
  extends Pick<Group, 'stream' | 'group'>, Partial<Pick<Group, 'begin' | 'claimAfterMs'>> {
  readonly redis: RedisSettings;
  readonly handle: Handle;
  /** Called once for each event whose effect was kept, in this process. */
  readonly onHandled?: (event: StreamEvent) => void;
  /** Ends it after the entries in hand, within five seconds. */
  readonly signal: AbortSignal;
  /** Receives a line about what is not as it should be. */
  readonly report?: (line: string) => void;
  /** Gets the lag of the group and what becomes of events. It holds the metrics of one consumer; a second one is refused. */
  readonly registry?: Registry;
}

/** Entries in hand from which no new ones are read: each that waits is asked about in each round. */
const MOST_IN_HAND = 64;
const PAUSE_MS = 500;
const STOPS_WITHIN_MS = 5_000;
/** Pauses (ms) while what the events need is unavailable. */
const POSTPONED = { firstMs: 200, longestMs: 5_000 };

/**
 * Handles each event of the stream as one of the group's consumers, until its signal aborts (docs/consumer-typescript.md): each event
 * has its effect once, those of a node in order, and what a dead consumer had is taken over. An event that cannot be handled
 * goes to the stream `<keep>:aside`. Errors: a group's name has no colon.
 */
export const consumeEvents = async (options: ConsumerOptions): Promise<void> => {
  const { redis, stream, group, handle, signal, begin = 'oldest', claimAfterMs = 30_000 } = options;
  const { registry = new Registry(), onHandled = () => undefined, report = () => undefined } = options;
  if (!isKeyPart(group)) throw new Error(`the group ${group} must have no colon in its name`);
  const connect = (): RedisLink =>
    connectRedis({ ...redis, log: createLog({ level: 'silent', process: group }), name: group }, stream);
  const [commands, reader] = [connect(), connect()];
  const named = { stream, group, begin, claimAfterMs, consumer: `${hostname()}-${randomUUID()}` };
  gauge(registry, 'point_alarm_consumer_lag', async () => {
    const entries = await lagOf(commands, named).catch(() => undefined);
    return entries === undefined ? [] : [[entries, { stream }]];
  });
  const counted = counter(registry, 'point_alarm_consumer_events_total');
  for (const outcome of outcomes) counted(0, { outcome });
  const count: Consumer['count'] = (outcome) => counted(1, { outcome });
  try {
    await run({ ...named, keep: keepOf(stream, group), commands, reader, handle, onHandled, report, count, signal });
  } finally {
    await Promise.all([commands.close(), reader.close()]);
  }
};

/** Handles rounds of entries until the signal aborts. Several nodes are handled at once. */
const run = async (consumer: Consumer): Promise<void> => {
  const { signal, report, commands, reader } = consumer;
  let held: ReadonlyArray<Entry> | undefined;
  let claimAt = 0;
  let postponed = 0;
  let stopAt = performance.now() + STOPS_WITHIN_MS;
  signal.addEventListener('abort', () => (stopAt = performance.now() + STOPS_WITHIN_MS), { once: true });
  const fetch = async (before: ReadonlyArray<Entry>): Promise<ReadonlyArray<Entry>> => {
    if (performance.now() < claimAt) {
      if (before.length < MOST_IN_HAND) return [...before, ...(await newEntries(reader, consumer, before.length > 0))];
      await pause(PAUSE_MS / 10, signal);
      return before;
    }
    const { entries, lost, hasMore } = await claimedEntries(commands, consumer);
    // What others left is older than what is new, and most of that waits for it.
    claimAt = hasMore ? 0 : performance.now() + consumer.claimAfterMs / 2;
    await forgetLost(consumer, lost);
    return [...before, ...entries.filter(({ id }) => !before.some((entry) => entry.id === id))];
  };
  while (!signal.aborted) {
    try {
      if (held === undefined) {
        if (!(commands.client.isReady && reader.client.isReady)) {
          await pause(PAUSE_MS / 10, signal);
          continue;
        }
        await ensureGroup(commands, consumer);
        const { entries, lost } = await ownEntries(commands, consumer);
        await forgetLost(consumer, lost);
        held = entries;
      }
      // While events are postponed nothing is added to them: there would be ever more that wait.
      const round = await handleRound(consumer, postponed > 0 ? held : await fetch(held));
      held = round.left;
      postponed = round.isPostponed ? postponed + 1 : 0;
      if (round.isPostponed) await pause(backoffMs(POSTPONED, postponed), signal);
    } catch (error) {
      report(`Redis: ${reasonOf(error)}`);
      held = undefined; // what is ours is read again
      await pause(PAUSE_MS, signal);
    }
  }
  await finish(consumer, held, stopAt);
};

const forgetLost = async ({ commands, keep, report, count }: Consumer, lost: ReadonlyArray<string>): Promise<void> => {
  if (lost.length === 0) return;
  report(`trimmed before they were handled: ${lost.join(', ')}`);
  for (const _ of lost) count('lost');
  await commands.client.hDel(`${keep}:attempts`, [...lost]);
};

/** Handles what is in hand until `end`, leaves the rest to others, and signs off. */
const finish = async (consumer: Consumer, held: ReadonlyArray<Entry> | undefined, end: number): Promise<void> => {
  const { commands, stream, group, consumer: name } = consumer;
  let left = held;
  while (left !== undefined && left.length > 0 && performance.now() < end) {
    const round = await handleRound(consumer, left).catch(() => undefined);
    left = round?.left;
    if (round?.isPostponed === true) break;
    await pause(PAUSE_MS / 10);
  }
  if (left === undefined) return;
  if (left.length > 0) await releaseEntries(commands, consumer, left).catch(() => undefined);
  // Removing a consumer forgets what it has not done.
  else await commands.client.xGroupDelConsumer(stream, group, name).catch(() => undefined);
};

/**
 * Handles each entry whose turn it is: those of a node one after the other, several nodes at once. `left`, in order, is still to
 * do; `isPostponed`: what some of that needs is unavailable.
 */
const handleRound = async (consumer: Consumer, entries: ReadonlyArray<Entry>) => {
  const nodes = new Map<string, Entry[]>();
  for (const entry of entries) {
    const node = entry.fields['aggregateId'] ?? '';
    nodes.set(node, [...(nodes.get(node) ?? []), entry]);
  }
  const outcomes = new Map<string, Done>();
  await Promise.all(
    [...nodes.values()].map(async (ofNode) => {
      for (const entry of ofNode) outcomes.set(entry.id, await handleEntry(consumer, entry));
    }),
  );
  return {
    left: entries.filter(({ id }) => outcomes.get(id) !== 'done'),
    isPostponed: [...outcomes.values()].includes('postponed'),
  };
};
