import * as E from 'fp-ts/Either';
import { reasonOf } from '../../process/reason-of';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { IS_NEWER } from '../append';
import type { RedisLink } from '../link';
import { readEntry, type Entry } from '../entry';
import { FIELD, type Group } from './group';

/**
 * What an event comes to in Redis. All of it is kept together with the place of the event's node, or nothing. `<keep>` is the name
 * of the stream and that of the group: `point-alarm-events:trail`.
 */
export interface Effect {
  /** Text that is added to the list `<keep>:trail`. */
  readonly trail?: string;
  /**
   * By the name of a hash `<keep>:<name>`, the text that it holds of the node from now on; null removes it. A name has no colon,
   * and is none of `attempts`, `aside`, `last`, `trail`.
   */
  readonly texts?: Readonly<Record<string, string | null>>;
}

/** What the group keeps of the node of an event: its text in the hash `<keep>:<name>`. */
export type KeptText = (name: string) => Promise<string | undefined>;

/**
 * Works out what an event comes to. It may run again for the same event, but what it answers is kept once. Where the effect goes
 * elsewhere, answer nothing, and keep the node's `sequenceId` there in the same transaction: one that is not newer is a repeat.
 *
 * Errors: an event that fails three times is set aside, and one in whose handling nine processes died; not one of `NotNow`.
 */
export type Handle = (event: StreamEvent, kept: KeptText) => Promise<Effect | undefined> | Effect | undefined;

/** The event is not at fault: what it needs is unavailable. */
export class NotNow extends Error {}

/** Where the names of what a group keeps of a stream begin; a hash tag of the stream is theirs as well. */
export const keepOf = (stream: string, group: string): string => `${stream}:${group}`;

/** Whether a name can be the last part of a key: with a colon the key could be that of another group, or of another stream. */
export const isKeyPart = (name: string): boolean => name !== '' && !name.includes(':');

/** What the group keeps of its own: no effect's texts go there. */
const OWN = ['attempts', 'aside', 'last', 'trail'];

export const outcomes = ['handled', 'repeated', 'failed', 'postponed', 'aside', 'lost'] as const;

/** What became of an event, or of an entry that is none. */
type Outcome = (typeof outcomes)[number];

export interface Consumer extends Group {
  /** What `keepOf` gives. */
  readonly keep: string;
  readonly commands: RedisLink;
  /** A connection of its own: a blocking read blocks all else on it. */
  readonly reader: RedisLink;
  readonly handle: Handle;
  readonly onHandled: (event: StreamEvent) => void;
  readonly report: (line: string) => void;
  readonly count: (outcome: Outcome) => void;
  readonly signal: AbortSignal;
}

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

export type Done = 'done' | 'left' | 'postponed';

/** Handles an entry, if it is its turn, and keeps its effect. */
export const handleEntry = async (consumer: Consumer, entry: Entry): Promise<Done> => {
  const { commands, keep, report, count } = consumer;
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
      const text = await commands.client.hGet(`${keep}:${name}`, event.right.aggregateId);
      return text ?? undefined;
    });
    const bad = Object.keys(effect?.texts ?? {}).find((name) => !isKeyPart(name) || OWN.includes(name));
    if (bad !== undefined) throw new Error(`${bad} cannot be the name of a hash`);
  } catch (error) {
    const isPostponed = error instanceof NotNow;
    await commands.client.hIncrBy(`${keep}:attempts`, entry.id, isPostponed ? -1 : FAILURE - 1);
    report(`${entry.id} ${isPostponed ? 'waits' : 'failed'}: ${reasonOf(error)}`);
    count(isPostponed ? 'postponed' : 'failed');
    return isPostponed ? 'postponed' : 'left';
  }
  const isNew = await keepEffect(consumer, entry, event.right, effect);
  count(isNew ? 'handled' : 'repeated');
  if (isNew) consumer.onHandled(event.right);
  return 'done';
};

const keepEffect = async (
  { commands, stream, group, keep }: Consumer,
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
  { commands, stream, group, keep, consumer }: Consumer,
  { id }: Entry,
  event: E.Either<string, StreamEvent>,
): Promise<(typeof turns)[number]> => {
  const { aggregateId: node, sequenceId } = E.isRight(event) ? event.right : { aggregateId: '', sequenceId: '' };
  const reason = E.isRight(event) ? 'it failed' : event.left;
  const answer: unknown = await commands.client.eval(TURN, {
    keys: [stream, `${keep}:attempts`, `${keep}:aside`, `${keep}:last`],
    arguments: [group, consumer, id, node, String(MOST_TRIES), reason, sequenceId, String(MOST_ASIDE)],
  });
  const turn = turns.find((one) => one === answer);
  if (turn === undefined) throw new Error(`no turn: ${String(answer)}`);
  return turn;
};

const turns = ['go', 'wait', 'taken', 'repeat', 'aside'] as const;

/**
 * Asks for the turn of an entry, and counts the tries.
 *
 * 'taken': another consumer has claimed it, or it is done. 'repeat': its node has taken it or a later one; it is acknowledged.
 * 'wait': an earlier entry of its node is pending; entries come in their order, so once none is, none will be. 'aside': it was
 * tried too often, and now lies in the stream of entries set aside.
 *
 * KEYS: stream, attempts, aside, last. ARGV: group, consumer, entry, node (empty: only set aside), most tries, reason,
 * sequenceId, most entries set aside.
 */
const TURN = `${IS_NEWER}${FIELD}local stream, attempts, aside, last = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, consumer, id, node, most, reason, sequenceId, mostAside = unpack(ARGV)
local own = redis.call('XPENDING', stream, group, id, id, 1)
if #own == 0 or own[1][2] ~= consumer then
  return 'taken'
end
if node ~= '' then
  local earlier = redis.call('XPENDING', stream, group, '-', '(' .. id, 1000)
  local blocked = #earlier == 1000
  for _, pending in ipairs(earlier) do
    local entry = redis.call('XRANGE', stream, pending[1], pending[1])[1]
    blocked = blocked or (entry and field(entry[2], 'aggregateId') == node)
  end
  if blocked then
    redis.call('XCLAIM', stream, group, consumer, 0, id, 'JUSTID')
    return 'wait'
  end
  if not isNewer(sequenceId, redis.call('HGET', last, node) or '') then
    redis.call('XACK', stream, group, id)
    redis.call('HDEL', attempts, id)
    return 'repeat'
  end
  if redis.call('HINCRBY', attempts, id, 1) <= tonumber(most) then
    return 'go'
  end
end
local entry = redis.call('XRANGE', stream, id, id)[1]
redis.call('XADD', aside, 'MAXLEN', '~', mostAside, '*', 'entry', id, 'reason', reason, unpack(entry and entry[2] or {}))
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
return 'aside'
`;

/**
 * Keeps the effect of an event together with its sequenceId, unless the node is there already, and acknowledges the entry:
 * all or nothing. Answers 1 for an effect, 0 for a repeat.
 *
 * KEYS: stream, attempts, last, trail, then a hash for each text of the node. ARGV: group, entry, node, sequenceId, whether
 * something is added to the trail ('1' or '0'), what; then for each hash whether the text is set ('1') or removed ('0'), and
 * the text.
 */
const FINISH = `${IS_NEWER}local stream, attempts, last, trail = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, id, node, sequenceId, hasTrail, text = unpack(ARGV)
local isNew = isNewer(sequenceId, redis.call('HGET', last, node) or '')
if isNew then
  redis.call('HSET', last, node, sequenceId)
  if hasTrail == '1' then redis.call('RPUSH', trail, text) end
  for at = 5, #KEYS do
    if ARGV[2 * at - 3] == '1' then
      redis.call('HSET', KEYS[at], node, ARGV[2 * at - 2])
    else
      redis.call('HDEL', KEYS[at], node)
    end
  end
end
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
return isNew and 1 or 0
`;
