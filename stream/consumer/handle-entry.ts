import * as E from 'fp-ts/Either';
import { reasonOf } from '../../process/reason-of';
import { EventType } from '../../workflows/domain/node/events';
import { readEntry } from '../entry';
import { NotNow, tell, type Consumer, type Outcome } from './consumer';
import { effectOf, keepEffect } from './effects';
import type { Held } from './group';
import { FIELD, WAITING } from './scripts';
import { turnOf } from './turns';

/**
 * Tries without an end after which an entry is set aside. One that failed counts as three of them: where a process died or
 * Redis was lost, the event is rarely the reason.
 */
const MOST_TRIES = 9;
const FAILURE = 3;
/**
 * Entries set aside that are kept, about: those of an event's size take some 10 MB of Redis, the largest 1 GB. Beyond so many a
 * handler is at fault, and `pas republish --all --again` repairs what it left out.
 */
const MOST_ASIDE = 10_000;
/** Characters of a reason: the message of an error may hold a whole answer. */
const MOST_REASON = 1_000;

/** What a try came to; 'waits': another consumer has an earlier entry of the node. */
export type Done = 'done' | 'waits' | 'failed' | 'postponed';

/**
 * Handles an entry, if it is its turn, and keeps its effect. `isAgain`: the try before ended with the connection to Redis, and
 * counts once with this one.
 */
export const handleEntry = async (consumer: Consumer, held: Held, isAgain: boolean): Promise<Done> => {
  const { count } = consumer;
  const turn = await turnOf(consumer, held, isAgain);
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
      // A type of a later release.
      if (!EventType.is(fields['type'])) return settle(consumer, held, 'skipped');
      const event = readEntry(fields);
      if (E.isLeft(event)) return setAside(consumer, held, event.left);
      if (event.right.sequenceId <= last) return settle(consumer, held, 'repeated');
      if (tries > MOST_TRIES) return setAside(consumer, held, `${MOST_TRIES} processes ended while they handled it`);
      const effect = await effectOf(consumer, event.right);
      if (E.isLeft(effect)) return leave(consumer, held, effect.left);
      const isNew = await keepEffect(consumer, held, event.right.sequenceId, effect.right);
      count(isNew ? 'handled' : 'repeated');
      if (isNew) tell(consumer, 'onHandled', event.right);
      return 'done';
    }
  }
};

/** Has an entry whose handling failed tried again, or sets it aside. */
const leave = async (consumer: Consumer, held: Held, error: unknown): Promise<Done> => {
  const { commands, keep, report, count } = consumer;
  const isPostponed = error instanceof NotNow;
  const reason = reasonOf(error).slice(0, MOST_REASON);
  const tries = await commands.client.hIncrBy(`${keep}:attempts`, held.id, isPostponed ? -1 : FAILURE - 1);
  report(`${held.id} ${isPostponed ? 'waits' : 'failed'}: ${reason}`);
  count(isPostponed ? 'postponed' : 'failed');
  if (!isPostponed && tries >= MOST_TRIES) return setAside(consumer, held, reason);
  return isPostponed ? 'postponed' : 'failed';
};

const setAside = async (consumer: Consumer, { id, node }: Held, reason: string): Promise<Done> => {
  const { commands, stream, group, keep, report, count } = consumer;
  const isDone: unknown = await commands.client.eval(ASIDE, {
    keys: [stream, `${keep}:waiting`, `${keep}:attempts`, `${keep}:aside`],
    arguments: [group, consumer.consumer, id, node, reason, String(MOST_ASIDE)],
  });
  if (isDone !== 1) return 'done';
  report(`${id} is set aside: ${reason}`);
  count('aside');
  return 'done';
};

/** Acknowledges an entry that has no effect. */
const settle = async (consumer: Consumer, held: Held, outcome: Outcome): Promise<Done> => {
  await keepEffect(consumer, held, '');
  consumer.count(outcome);
  return 'done';
};

/**
 * Adds an entry to the stream of those set aside, and acknowledges it: 1, or 0 where another consumer has it or did so.
 *
 * KEYS: stream, waiting, attempts, aside. ARGV: group, consumer, entry, node, reason, most entries set aside.
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
