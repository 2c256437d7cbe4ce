import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { backoffMs, pause } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import type { RedisLink } from '../stream/connection';
import { readEntry } from '../stream/entry';
import type { StreamEvent } from '../workflows/domain/events/event';
import type { Outcome } from './consumer-metrics';
import { NotNow, type Effect, type Handle } from './effect';
import { isHashName } from './keep';
import {
  claimedEntries,
  ensureGroup,
  newEntries,
  ownEntries,
  releaseEntries,
  type Entry,
  type Group,
} from './group-entries';
import { FINISH, isTurn, TURN, type Turn } from './scripts';

/** A consumer of one partition. */
export interface PartitionConsumer extends Group {
  /** Where the names of what the group keeps begin; a hash tag of the stream is theirs as well. */
  readonly keep: string;
  readonly commands: RedisLink;
  /** A connection of its own: a blocking read blocks all else on it. */
  readonly reader: RedisLink;
  readonly handle: Handle;
  readonly onHandled: (event: StreamEvent) => void;
  readonly report: (line: string) => void;
  readonly count: (outcome: Outcome) => void;
  /** Ends it after the entries in hand. */
  readonly signal: AbortSignal;
}

/**
 * Tries without an end after which an entry is set aside. One that failed counts as three of them: where a process died or
 * Redis was lost, the event is rarely the reason.
 */
const MOST_TRIES = 9;
const FAILURE = 3;
/** Entries in hand from which no new ones are read: each that waits is asked about in each round. */
const MOST_IN_HAND = 64;
/**
 * Entries set aside that are kept, about: those of an event's size take some 10 MB of Redis, the largest 1 GB. Beyond so many a
 * handler is at fault, and `pas republish --all` repairs what it left out.
 */
const MOST_ASIDE = 10_000;
const PAUSE_MS = 500;
const STOPS_WITHIN_MS = 5_000;
/** Pauses (ms) while what the events need is unavailable. */
const POSTPONED = { firstMs: 200, longestMs: 5_000 };

/**
 * Handles the events of a partition as one of the group's consumers, until its signal aborts: the effect of each is kept once,
 * those of a node in order, whatever process dies, and none is left out but those set aside. Several nodes are handled at once.
 */
export const consumePartition = async (consumer: PartitionConsumer): Promise<void> => {
  const { signal, report, commands, reader } = consumer;
  let held: ReadonlyArray<Entry> | undefined;
  let claimAt = 0;
  let postponed = 0;
  const stopAt = new Promise<number>((resolve) => {
    const stop = (): void => {
      resolve(performance.now() + STOPS_WITHIN_MS);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
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
  await finish(consumer, held, await stopAt);
};

const forgetLost = async (
  { commands, keep, report, count }: PartitionConsumer,
  lost: ReadonlyArray<string>,
): Promise<void> => {
  if (lost.length === 0) return;
  report(`trimmed before they were handled: ${lost.join(', ')}`);
  for (const _ of lost) count('lost');
  await commands.client.hDel(`${keep}:attempts`, [...lost]);
};

/** Handles what is in hand until `end`, leaves the rest to others, and signs off. */
const finish = async (
  consumer: PartitionConsumer,
  held: ReadonlyArray<Entry> | undefined,
  end: number,
): Promise<void> => {
  const { commands, stream, group, consumer: name } = consumer;
  let left = held;
  while (left !== undefined && left.length > 0 && performance.now() < end) {
    const round = await handleRound(consumer, left).catch(() => undefined);
    left = round?.left;
    if (round?.isPostponed === true) break;
    await sleep(PAUSE_MS / 10);
  }
  if (left === undefined) return;
  if (left.length > 0) await releaseEntries(commands, consumer, left).catch(() => undefined);
  // Removing a consumer forgets what it has not done.
  else await commands.client.xGroupDelConsumer(stream, group, name).catch(() => undefined);
};

/** A round over the entries in hand: those that are still to do, in order. */
interface Round {
  readonly left: ReadonlyArray<Entry>;
  /** What some of them need is unavailable. */
  readonly isPostponed: boolean;
}

type Done = 'done' | 'left' | 'postponed';

/** Handles each entry whose turn it is: those of a node one after the other, several nodes at once. */
const handleRound = async (consumer: PartitionConsumer, entries: ReadonlyArray<Entry>): Promise<Round> => {
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

const handleEntry = async (consumer: PartitionConsumer, entry: Entry): Promise<Done> => {
  const { commands, report, count } = consumer;
  const event = readEntry(entry.fields);
  const turn = await turnOf(consumer, entry, event);
  if (turn === 'aside') {
    report(`${entry.id} is set aside`);
    count('aside');
  }
  if (turn === 'repeat') count('repeated');
  if (turn !== 'go' || E.isLeft(event)) return turn === 'wait' ? 'left' : 'done';
  let effect: Effect | undefined;
  try {
    effect = await consumer.handle(event.right, async (name) => {
      const text = await commands.client.hGet(`${consumer.keep}:${name}`, event.right.aggregateId);
      return text ?? undefined;
    });
    const bad = Object.keys(effect?.texts ?? {}).find((name) => !isHashName(name));
    if (bad !== undefined) throw new Error(`${bad} cannot be the name of a hash`);
  } catch (error) {
    if (error instanceof NotNow) {
      await commands.client.hIncrBy(`${consumer.keep}:attempts`, entry.id, -1);
      report(`${entry.id} waits: ${error.message}`);
      count('postponed');
      return 'postponed';
    }
    await commands.client.hIncrBy(`${consumer.keep}:attempts`, entry.id, FAILURE - 1);
    report(`${entry.id} failed: ${reasonOf(error)}`);
    count('failed');
    return 'left';
  }
  const isNew = await keepEffect(consumer, entry, event.right, effect);
  count(isNew ? 'handled' : 'repeated');
  if (isNew) consumer.onHandled(event.right);
  return 'done';
};

const keepEffect = async (
  { commands, stream, group, keep }: PartitionConsumer,
  { id }: Entry,
  { aggregateId, sequenceId }: StreamEvent,
  { trail, texts = {} }: Effect = {},
): Promise<boolean> => {
  const hashes = Object.entries(texts);
  const isNew: unknown = await commands.client.eval(FINISH, {
    keys: [stream, ...['attempts', 'last', 'trail', ...hashes.map(([name]) => name)].map((name) => `${keep}:${name}`)],
    arguments: [
      ...[group, id, aggregateId, sequenceId],
      ...(trail === undefined ? ['0', ''] : ['1', trail]),
      ...hashes.flatMap(([, text]) => (text === null ? ['0', ''] : ['1', text])),
    ],
  });
  return isNew === 1;
};

const turnOf = async (
  { commands, stream, group, keep, consumer }: PartitionConsumer,
  { id }: Entry,
  event: E.Either<string, StreamEvent>,
): Promise<Turn> => {
  const [node, sequenceId, reason] = E.isRight(event)
    ? [event.right.aggregateId, event.right.sequenceId, 'it failed']
    : ['', '', event.left];
  const turn: unknown = await commands.client.eval(TURN, {
    keys: [stream, `${keep}:attempts`, `${keep}:aside`, `${keep}:last`],
    arguments: [group, consumer, id, node, String(MOST_TRIES), reason, sequenceId, String(MOST_ASIDE)],
  });
  if (isTurn(turn)) return turn;
  throw new Error(`no turn: ${String(turn)}`);
};
