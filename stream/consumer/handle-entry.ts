import * as E from 'fp-ts/Either';
import { reasonOf } from '../../process/reason-of';
import { EventType, type StreamEvent } from '../../workflows/domain/node/events';
import { IS_NEWER } from '../append';
import { inPairs, readEntry, type EntryFields } from '../entry';
import type { RedisLink } from '../link';
import type { Gap, Group, Held } from './group';
import { FIELD, WAITING } from './scripts';

/**
 * What an event comes to in Redis. All of it is kept together with the place of the event's node, or nothing. `<keep>` is the name
 * of the stream and that of the group: `point-alarm-events:trail`.
 */
export interface Effect {
  /** Text that is added to the list `<keep>:trail`. */
  readonly trail?: string;
  /**
   * By the name of a hash `<keep>:<name>`, the text that it holds of the node from now on; null removes it. A name has no colon,
   * and is none of `aside`, `attempts`, `gap`, `last`, `trail`, `waiting`.
   */
  readonly texts?: Readonly<Record<string, string | null>>;
}

/** What the group keeps of the node of an event: its text in the hash `<keep>:<name>`. */
export type KeptText = (name: string) => Promise<string | undefined>;

/**
 * Works out what an event comes to. It may run again for the same event, but what it answers is kept once. Where the effect goes
 * elsewhere, answer nothing, and keep the node's `sequenceId` there in the same transaction: one that is not newer is a repeat.
 * `signal` aborts after `claimAfterMs`: this try has failed, whatever it answers.
 *
 * Errors: an event that fails three times is set aside, and one in whose handling nine processes died; not one of `NotNow`.
 */
export type Handle = (
  event: StreamEvent,
  kept: KeptText,
  signal: AbortSignal,
) => Promise<Effect | undefined> | Effect | undefined;

/** The event is not at fault: what it needs is unavailable. */
export class NotNow extends Error {}

/** Whether a name can be the last part of a key: with a colon the key could be that of another group, or of another stream. */
export const isKeyPart = (name: string): boolean => name !== '' && !name.includes(':');

/** What the group keeps of its own: no effect's texts go there. */
const OWN = ['aside', 'attempts', 'gap', 'last', 'trail', 'waiting'];

export const outcomes = ['handled', 'repeated', 'skipped', 'failed', 'postponed', 'aside', 'lost'] as const;

/** What became of an event, or of an entry that is none. */
type Outcome = (typeof outcomes)[number];

export interface Consumer extends Group {
  readonly commands: RedisLink;
  /** A connection of its own: a blocking read blocks all else on it. */
  readonly reader: RedisLink;
  readonly handle: Handle;
  readonly onHandled: (event: StreamEvent) => void;
  readonly onGap: (gap: Gap) => void;
  readonly report: (line: string) => void;
  readonly count: (outcome: Outcome, events?: number) => void;
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
      tellGap(consumer, { from: held.id, to: held.id, entries: 1 });
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

const effectOf = async (consumer: Consumer, event: StreamEvent): Promise<E.Either<unknown, Effect | undefined>> => {
  const { commands, keep, claimAfterMs } = consumer;
  const kept: KeptText = async (name) =>
    (await commands.client.hGet(`${keep}:${name}`, event.aggregateId)) ?? undefined;
  try {
    const effect = await beforeLong(claimAfterMs, async (signal) => consumer.handle(event, kept, signal));
    const bad = Object.keys(effect?.texts ?? {}).find((name) => !isKeyPart(name) || OWN.includes(name));
    return bad === undefined ? E.right(effect) : E.left(new Error(`${bad} cannot be the name of a hash`));
  } catch (error) {
    return E.left(error);
  }
};

/** What `work` answers within a time (ms), after which its signal aborts. Its timer keeps no process from ending. */
const beforeLong = async <A>(ms: number, work: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const timer = setTimeout(() => giveUp.abort(new Error(`no answer within ${ms} ms`)), ms).unref();
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return Promise.race([work(signal), late]).finally(() => clearTimeout(timer));
};

/** Has an entry whose handling failed tried again, or sets it aside. */
const leave = async (consumer: Consumer, held: Held, error: unknown): Promise<Done> => {
  const { commands, keep, report, count } = consumer;
  const isPostponed = error instanceof NotNow;
  const tries = await commands.client.hIncrBy(`${keep}:attempts`, held.id, isPostponed ? -1 : FAILURE - 1);
  report(`${held.id} ${isPostponed ? 'waits' : 'failed'}: ${reasonOf(error)}`);
  count(isPostponed ? 'postponed' : 'failed');
  if (!isPostponed && tries >= MOST_TRIES) return setAside(consumer, held, reasonOf(error));
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

export const tellGap = (consumer: Consumer, gap: Gap): void => {
  const { from, to, entries } = gap;
  const trimmed = from === to ? to : `${entries ?? 'entries'} between ${from} and ${to}`;
  const what =
    from === '0-0'
      ? `Redis lost the group ${consumer.group}, perhaps with events`
      : `trimmed before they were handled: ${trimmed}`;
  consumer.report(`${what}; run pas republish --all --again`);
  consumer.count('lost', entries ?? 1);
  tell(consumer, 'onGap', gap);
};

/** Whatever the caller does with it, it never ends the consumer. */
const tell = <Name extends 'onHandled' | 'onGap'>(
  consumer: Consumer,
  name: Name,
  what: Parameters<Consumer[Name]>[0],
): void => {
  new Promise((resolve) => {
    const callback: (told: never) => unknown = consumer[name];
    resolve(callback(what as never));
  }).catch((error: unknown) => consumer.report(`${name} failed: ${reasonOf(error)}`));
};

const keepEffect = async (
  { commands, stream, group, keep }: Consumer,
  { id, node }: Held,
  sequenceId: string,
  { trail, texts = {} }: Effect = {},
): Promise<boolean> => {
  const hashes = Object.entries(texts);
  const names = ['waiting', 'attempts', 'last', 'trail', ...hashes.map(([name]) => name)];
  const isNew: unknown = await commands.client.eval(FINISH, {
    keys: [stream, ...names.map((name) => `${keep}:${name}`)],
    arguments: [
      ...[group, id, node, sequenceId],
      ...(trail === undefined ? ['0', ''] : ['1', trail]),
      ...hashes.flatMap(([, text]) => (text === null ? ['0', ''] : ['1', text])),
    ],
  });
  return isNew === 1;
};

type Turn =
  | { readonly kind: 'wait' | 'taken' | 'lost' }
  /** `last`: the last sequenceId of the node that the group has handled; `tries`: this one included. */
  | { readonly kind: 'go'; readonly fields: EntryFields; readonly last: string; readonly tries: number };

const turnOf = async (
  { commands, stream, group, keep, consumer }: Consumer,
  { id, node }: Held,
  isAgain: boolean,
): Promise<Turn> => {
  const answer: unknown = await commands.client.eval(TURN, {
    keys: [stream, `${keep}:waiting`, `${keep}:attempts`, `${keep}:last`],
    arguments: [group, consumer, id, node, isAgain ? '0' : '1'],
  });
  const [kind, texts = [], last = '', tries = 0] = answer as readonly [Turn['kind'], string[]?, string?, number?];
  return kind === 'go' ? { kind, fields: inPairs(texts), last, tries } : { kind };
};

/**
 * Asks for the turn of an entry, and counts the tries.
 *
 * 'taken': another consumer has claimed it, or it is done. 'wait': an earlier entry of its node is pending. 'lost': it was
 * trimmed; it is acknowledged. 'go': it is the entry's turn, with its fields, the node's last sequenceId, and the tries.
 *
 * KEYS: stream, waiting, attempts, last. ARGV: group, consumer, entry, node, how many tries this is.
 */
const TURN = `${FIELD}${WAITING}local stream, attempts, last = KEYS[1], KEYS[3], KEYS[4]
local group, consumer, id, node, try = unpack(ARGV)
local own = redis.call('XPENDING', stream, group, id, id, 1)
if #own == 0 or own[1][2] ~= consumer then return { 'taken' } end
local first = firstOf(node)
while first and place(idIn(first)) < place(id) do
  local earlier = idIn(first)
  if #redis.call('XPENDING', stream, group, earlier, earlier, 1) > 0 then return { 'wait' } end
  redis.call('ZREM', waiting, first) -- somebody else acknowledged it
  first = firstOf(node)
end
local entry = redis.call('XRANGE', stream, id, id)[1]
if not entry then
  redis.call('XACK', stream, group, id)
  redis.call('HDEL', attempts, id)
  leave(node, id)
  return { 'lost' }
end
return { 'go', entry[2], redis.call('HGET', last, node) or '', redis.call('HINCRBY', attempts, id, try) }
`;

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

/**
 * Keeps the effect of an event together with its sequenceId, unless the node is there already, and acknowledges the entry:
 * all or nothing. Answers 1 for an effect, 0 for a repeat, and for what has no sequenceId.
 *
 * KEYS: stream, waiting, attempts, last, trail, then a hash for each text of the node. ARGV: group, entry, node, sequenceId,
 * whether something is added to the trail ('1' or '0'), what; then for each hash whether the text is set ('1') or removed ('0'),
 * and the text.
 */
const FINISH = `${IS_NEWER}${FIELD}${WAITING}local stream, attempts, last, trail = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local group, id, node, sequenceId, hasTrail, text = unpack(ARGV)
local isNew = isNewer(sequenceId, redis.call('HGET', last, node) or '')
if isNew then
  redis.call('HSET', last, node, sequenceId)
  if hasTrail == '1' then redis.call('RPUSH', trail, text) end
  for at = 6, #KEYS do
    if ARGV[2 * at - 5] == '1' then
      redis.call('HSET', KEYS[at], node, ARGV[2 * at - 4])
    else
      redis.call('HDEL', KEYS[at], node)
    end
  end
end
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
leave(node, id)
return isNew and 1 or 0
`;
