import * as E from 'fp-ts/Either';
import { reasonOf } from '../../process/reason-of';
import { EventType } from '../../workflows/domain/node/events';
import { readEntry } from '../entry';
import { NotNow, runCallback, type Consumer, type EventOutcome } from './consumer';
import { effectOf, storeEffect } from './effects';
import type { PendingEntry } from './group';
import { FIELD, WAITING } from './scripts';
import { beginTry } from './tries';

/**
 * An entry is set aside (moved to the stream `<stream>:<group>:aside`) after three failed tries, or nine that never ended. A
 * failed try counts as three, because a process that dies or a lost Redis is rarely the event's fault.
 */
const MOST_TRIES = 9;
const FAILURE = 3;
/**
 * About how many entries the stream `<keyPrefix>:aside` keeps: some 10 MB of Redis for entries of usual size, 1 GB for the
 * largest. If more are set aside, the handler is at fault, and `pas republish --all --again` makes up for what was dropped.
 */
const MOST_ASIDE = 10_000;
/** Most characters of a stored reason: an error's message may hold a server's whole answer. */
const MOST_REASON = 1_000;

/** The outcome of a try. 'waits': an earlier entry of the node is pending. 'postponed': the handler threw `NotNow`. */
export type TryOutcome = 'done' | 'waits' | 'failed' | 'postponed';

/**
 * Handles an entry, if its turn has come, and stores its effect. `isAgain` means that the last try ended by an error of Redis;
 * then the last try and this one count as one.
 */
export const handleEntry = async (consumer: Consumer, entry: PendingEntry, isAgain: boolean): Promise<TryOutcome> => {
  const { count } = consumer;
  const turn = await beginTry(consumer, entry, isAgain);
  switch (turn.kind) {
    case 'wait':
      return 'waits';
    case 'taken':
      return 'done';
    case 'lost':
      await consumer.reportGaps();
      return 'done';
    case 'go': {
      const { fields, last, tries } = turn;
      // A type that is not known comes from a later release, and is skipped.
      if (!EventType.is(fields['type'])) return acknowledge(consumer, entry, 'skipped');
      const event = readEntry(fields);
      if (E.isLeft(event)) return setAside(consumer, entry, event.left);
      if (event.right.sequenceId <= last) return acknowledge(consumer, entry, 'repeated');
      if (tries > MOST_TRIES) return setAside(consumer, entry, `${MOST_TRIES} processes ended while they handled it`);
      const effect = await effectOf(consumer, event.right, entry);
      if (E.isLeft(effect)) return endFailedTry(consumer, entry, effect.left);
      const isNew = await storeEffect(consumer, entry, event.right.sequenceId, effect.right);
      count(isNew ? 'handled' : 'repeated');
      if (isNew) runCallback(consumer, 'onHandled', event.right);
      return 'done';
    }
  }
};

/** Ends a try that failed or was postponed. The entry is tried again later, or set aside if it has failed too often. */
const endFailedTry = async (consumer: Consumer, entry: PendingEntry, error: unknown): Promise<TryOutcome> => {
  const { commands, keyPrefix, report, count } = consumer;
  const isPostponed = error instanceof NotNow;
  const reason = reasonOf(error).slice(0, MOST_REASON);
  const tries = await commands.client.hIncrBy(`${keyPrefix}:attempts`, entry.id, isPostponed ? -1 : FAILURE - 1);
  report(`${entry.id} ${isPostponed ? 'waits' : 'failed'}: ${reason}`);
  count(isPostponed ? 'postponed' : 'failed');
  if (!isPostponed && tries >= MOST_TRIES) return setAside(consumer, entry, reason);
  return isPostponed ? 'postponed' : 'failed';
};

const setAside = async (consumer: Consumer, { id, node }: PendingEntry, reason: string): Promise<TryOutcome> => {
  const { commands, stream, group, keyPrefix, report, count } = consumer;
  const isDone: unknown = await commands.client.eval(ASIDE, {
    keys: [stream, `${keyPrefix}:waiting`, `${keyPrefix}:attempts`, `${keyPrefix}:aside`],
    arguments: [group, consumer.consumer, id, node, reason, String(MOST_ASIDE)],
  });
  if (isDone !== 1) return 'done';
  report(`${id} is set aside: ${reason}`);
  count('aside');
  return 'done';
};

/** Acknowledges an entry that has no effect. */
const acknowledge = async (consumer: Consumer, entry: PendingEntry, outcome: EventOutcome): Promise<TryOutcome> => {
  await storeEffect(consumer, entry, '');
  consumer.count(outcome);
  return 'done';
};

/**
 * Moves an entry to the stream `<keyPrefix>:aside`, and acknowledges it. Answers 1, or 0 if the entry is no longer pending with
 * this consumer, because another one has claimed it or finished it.
 */
const ASIDE = `${FIELD}${WAITING}local stream, attempts, aside = KEYS[1], KEYS[3], KEYS[4]
local group, consumer, id, node, reason, mostAside = unpack(ARGV)
local own = redis.call('XPENDING', stream, group, id, id, 1)
if #own == 0 or own[1][2] ~= consumer then return 0 end
local entry = redis.call('XRANGE', stream, id, id)[1]
redis.call('XADD', aside, 'MAXLEN', '~', mostAside, '*', 'entry', id, 'reason', reason, unpack(entry and entry[2] or {}))
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
leave(node, id)
return 1
`;
