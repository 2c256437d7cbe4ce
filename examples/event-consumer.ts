import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import type { StreamEvent } from '../workflows/domain/events/event';
import { readEntry } from '../stream/entry';
import type { RedisLink } from '../stream/connection';
import { FINISH, TURN, type Turn } from './consumer-scripts';
import { claimedEntries, connect, ensureGroup, newEntries, ownEntries, type Entry, type Group } from './group-entries';

export interface Consumer extends Group {
  /** Works out what to keep of an event. It may run again for the same event; what it answers is kept once. */
  readonly handle: (event: StreamEvent) => Promise<string>;
  readonly onHandled: (event: StreamEvent) => void;
  readonly report: (line: string) => void;
  /** Ends it after the entries in hand. */
  readonly signal: AbortSignal;
}

/** Tries after which an entry is set aside. */
const MOST_ATTEMPTS = 3;
const PAUSE_MS = 500;
const STOPS_WITHIN_MS = 5_000;

/**
 * Handles the events of the stream as one of the group's consumers, until its signal aborts (docs/events.md, "Consuming"): the
 * effect of each is kept once, those of a node in order, whatever process dies, and none is left out but those set aside.
 */
export const consumeEvents = async (consumer: Consumer): Promise<void> => {
  const { signal, report } = consumer;
  const [commands, reader] = [connect(consumer), connect(consumer)];
  let held: ReadonlyArray<Entry> | undefined;
  let claimAt = 0;
  const stopAt = new Promise<number>((resolve) => {
    signal.addEventListener('abort', () => resolve(performance.now() + STOPS_WITHIN_MS), { once: true });
  });
  const fetch = async (before: ReadonlyArray<Entry>): Promise<ReadonlyArray<Entry>> => {
    if (performance.now() < claimAt) return [...before, ...(await newEntries(reader, consumer, before.length > 0))];
    claimAt = performance.now() + consumer.claimAfterMs / 2;
    const { entries, lost } = await claimedEntries(commands, consumer);
    if (lost.length > 0) report(`trimmed before they were handled: ${lost.join(', ')}`);
    return [...before, ...entries.filter(({ id }) => !before.some((entry) => entry.id === id))];
  };
  while (!signal.aborted) {
    try {
      if (held === undefined) {
        if (!(commands.client.isReady && reader.client.isReady)) {
          await sleep(PAUSE_MS / 10);
          continue;
        }
        await ensureGroup(commands, consumer);
        held = await ownEntries(reader, consumer);
      }
      held = await handleRound(commands, consumer, await fetch(held));
    } catch (error) {
      report(`Redis: ${String(error)}`);
      held = undefined; // what is ours is read again
      await sleep(PAUSE_MS);
    }
  }
  const end = await stopAt;
  while (held !== undefined && held.length > 0 && performance.now() < end) {
    held = await handleRound(commands, consumer, held).catch(() => undefined);
    await sleep(PAUSE_MS / 10);
  }
  // Removing a consumer forgets what it has not done.
  if (held?.length === 0)
    await commands.client.xGroupDelConsumer(consumer.stream, consumer.group, consumer.consumer).catch(() => 0);
  await Promise.all([reader, commands].map((link) => link.close()));
};

/** Handles each entry whose turn it is; answers those that are still to do, in order. */
const handleRound = async (
  commands: RedisLink,
  consumer: Consumer,
  entries: ReadonlyArray<Entry>,
): Promise<ReadonlyArray<Entry>> => {
  const left: Entry[] = [];
  for (const entry of entries) if (!(await isDone(commands, consumer, entry))) left.push(entry);
  return left;
};

const isDone = async (commands: RedisLink, consumer: Consumer, entry: Entry): Promise<boolean> => {
  const event = readEntry(entry.fields);
  const turn = await turnOf(commands, consumer, entry, event);
  if (turn === 'aside') consumer.report(`${entry.id} is set aside`);
  if (turn !== 'go' || E.isLeft(event)) return turn !== 'wait';
  let effect: string;
  try {
    effect = await consumer.handle(event.right);
  } catch (error) {
    consumer.report(`${entry.id} failed: ${String(error)}`);
    return false;
  }
  const { aggregateId, sequenceId } = event.right;
  const isNew = await commands.client.eval(FINISH, {
    keys: [consumer.stream, ...keysOf(consumer, 'attempts', 'last', 'trail')],
    arguments: [consumer.group, entry.id, aggregateId, sequenceId, effect],
  });
  if (isNew === 1) consumer.onHandled(event.right);
  return true;
};

const turnOf = async (
  commands: RedisLink,
  consumer: Consumer,
  { id }: Entry,
  event: E.Either<string, StreamEvent>,
): Promise<Turn> => {
  const [node, reason] = E.isRight(event) ? [event.right.aggregateId, 'it failed'] : ['', event.left];
  const turn: unknown = await commands.client.eval(TURN, {
    keys: [consumer.stream, ...keysOf(consumer, 'attempts', 'aside')],
    arguments: [consumer.group, consumer.consumer, id, node, String(MOST_ATTEMPTS), reason],
  });
  if (turn === 'go' || turn === 'wait' || turn === 'taken' || turn === 'aside') return turn;
  throw new Error(`no turn: ${String(turn)}`);
};

/** What a group keeps beside the stream; in a cluster under the hash tag of its partition. */
const keysOf = ({ keep }: Group, ...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${keep}:${name}`);
