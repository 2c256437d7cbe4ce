import * as E from 'fp-ts/Either';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { IS_NEWER } from '../append';
import type { Consumer, Effect, KeptText } from './consumer';
import type { PendingEntry } from './group';
import { FIELD, WAITING } from './scripts';

/** Whether a name can be the last part of a key. With a colon, the key could be one of another group or stream. */
export const isKeyPart = (name: string): boolean => name !== '' && !name.includes(':');

/** Names of the group's own keys, which effects must not use. */
const OWN = ['aside', 'attempts', 'gap', 'last', 'trail', 'unreported', 'waiting'];

export const effectOf = async (
  consumer: Consumer,
  event: StreamEvent,
  { id }: PendingEntry,
): Promise<E.Either<unknown, Effect | undefined>> => {
  const { commands, keyPrefix, claimAfterMs } = consumer;
  const kept: KeptText = async (name) =>
    (await commands.client.hGet(`${keyPrefix}:${name}`, event.aggregateId)) ?? undefined;
  try {
    const effect = await withAbortingTimeout(claimAfterMs, async (signal) =>
      consumer.handle(event, kept, signal, Number.parseInt(id, 10)),
    );
    const fault = faultIn(effect ?? {});
    return fault === undefined ? E.right(effect ?? undefined) : E.left(new Error(fault));
  } catch (error) {
    return E.left(error);
  }
};

/** The reason why Redis cannot store an effect, if any: a handler in plain JavaScript may return anything. */
const faultIn = ({ trail, texts = {}, scores = {} }: Effect): string | undefined => {
  const isText = (value: unknown): boolean => typeof value === 'string';
  const isName = (name: string): boolean => isKeyPart(name) && !OWN.includes(name);
  if (trail !== undefined && !isText(trail)) return 'the trail is no text';
  for (const [name, text] of Object.entries(texts)) {
    if (!isName(name)) return `${name} cannot be the name of a hash`;
    if (text !== null && !isText(text)) return `${name} is no text`;
  }
  for (const [name, score] of Object.entries(scores)) {
    if (!isName(name) || name in texts) return `${name} cannot be the name of a sorted set`;
    if (score !== null && !Number.isFinite(score)) return `${name} is no number`;
  }
  return undefined;
};

/** The result of `work`. After `ms` it rejects and aborts the signal of `work`. The timer does not keep the process alive. */
const withAbortingTimeout = async <A>(ms: number, work: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const timer = setTimeout(() => giveUp.abort(new Error(`no answer within ${ms} ms`)), ms).unref();
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return Promise.race([work(signal), late]).finally(() => clearTimeout(timer));
};

export const storeEffect = async (
  { commands, stream, group, keyPrefix }: Consumer,
  { id, node }: PendingEntry,
  sequenceId: string,
  { trail, texts = {}, scores = {} }: Effect = {},
): Promise<boolean> => {
  const kept = [
    ...Object.entries(texts).map(([name, text]) => ({ name, value: text, ways: ['HSET', 'HDEL'] })),
    ...Object.entries(scores).map(([name, score]) => ({ name, value: score, ways: ['ZADD', 'ZREM'] })),
  ];
  const names = ['waiting', 'attempts', 'last', 'trail', ...kept.map(({ name }) => name)];
  const isNew: unknown = await commands.client.eval(STORE_EFFECT, {
    keys: [stream, ...names.map((name) => `${keyPrefix}:${name}`)],
    arguments: [
      ...[group, id, node, sequenceId],
      ...(trail === undefined ? ['0', ''] : ['1', trail]),
      ...kept.flatMap(({ value, ways: [set = '', remove = ''] }) =>
        value === null ? [remove, ''] : [set, String(value)],
      ),
    ],
  });
  return isNew === 1;
};

/**
 * Stores the effect of an event together with its sequenceId and acknowledges the entry, all in one step. If the node has that
 * sequenceId or a newer one already, it only acknowledges. Redis does not roll back a script that fails halfway. So the writes
 * that Redis may refuse come first; repeating them does no harm. Answers 1 for an effect, 0 for a repeat or an entry without a
 * sequenceId.
 *
 * KEYS: stream, waiting, attempts, last, trail, then a hash for each text of the node, and a sorted set for each score.
 * ARGV: group, entry, node, sequenceId, '1' if a text is appended to the trail (else '0'), the text; then for each hash and
 * sorted set the command that sets or removes, and the text or score.
 */
const STORE_EFFECT = `${IS_NEWER}${FIELD}${WAITING}local stream, attempts, last, trail = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local group, id, node, sequenceId, hasTrail, text = unpack(ARGV)
local isNew = isNewer(sequenceId, redis.call('HGET', last, node) or '')
if isNew then
  for at = 6, #KEYS do
    local command, value = ARGV[2 * at - 5], ARGV[2 * at - 4]
    if command == 'HSET' then
      redis.call(command, KEYS[at], node, value)
    elseif command == 'ZADD' then
      redis.call(command, KEYS[at], value, node)
    else
      redis.call(command, KEYS[at], node)
    end
  end
  if hasTrail == '1' then redis.call('RPUSH', trail, text) end
  redis.call('HSET', last, node, sequenceId)
end
redis.call('XACK', stream, group, id)
redis.call('HDEL', attempts, id)
leave(node, id)
return isNew and 1 or 0
`;
