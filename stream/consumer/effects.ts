import * as E from 'fp-ts/Either';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { IS_NEWER } from '../append';
import type { Consumer, Effect, KeptText } from './consumer';
import type { Held } from './group';
import { FIELD, WAITING } from './scripts';

/** Whether a name can be the last part of a key: with a colon the key could be that of another group, or of another stream. */
export const isKeyPart = (name: string): boolean => name !== '' && !name.includes(':');

/** What the group keeps of its own: no effect's texts go there. */
const OWN = ['aside', 'attempts', 'gap', 'last', 'trail', 'unreported', 'waiting'];

export const effectOf = async (
  consumer: Consumer,
  event: StreamEvent,
): Promise<E.Either<unknown, Effect | undefined>> => {
  const { commands, keep, claimAfterMs } = consumer;
  const kept: KeptText = async (name) =>
    (await commands.client.hGet(`${keep}:${name}`, event.aggregateId)) ?? undefined;
  try {
    const effect = await beforeLong(claimAfterMs, async (signal) => consumer.handle(event, kept, signal));
    const fault = faultIn(effect ?? {});
    return fault === undefined ? E.right(effect ?? undefined) : E.left(new Error(fault));
  } catch (error) {
    return E.left(error);
  }
};

/** What Redis cannot keep; a handler in plain JavaScript may return anything. */
const faultIn = ({ trail, texts = {} }: Effect): string | undefined => {
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (trail !== undefined && !isText(trail)) return 'the trail is no text';
  for (const [name, text] of Object.entries(texts)) {
    if (!isKeyPart(name) || OWN.includes(name)) return `${name} cannot be the name of a hash`;
    if (text !== null && !isText(text)) return `${name} is no text`;
  }
  return undefined;
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

export const keepEffect = async (
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

/**
 * Keeps the effect of an event together with its sequenceId, unless the node is there already, and acknowledges the entry:
 * all or nothing. Redis takes back nothing of a script that fails halfway: hence what may be refused, or done again, comes first.
 * Answers 1 for an effect, 0 for a repeat, and for what has no sequenceId.
 *
 * KEYS: stream, waiting, attempts, last, trail, then a hash for each text of the node. ARGV: group, entry, node, sequenceId,
 * whether something is added to the trail ('1' or '0'), what; then for each hash whether the text is set ('1') or removed ('0'),
 * and the text.
 */
const FINISH = `${IS_NEWER}${FIELD}${WAITING}local stream, attempts, last, trail = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local group, id, node, sequenceId, hasTrail, text = unpack(ARGV)
local isNew = isNewer(sequenceId, redis.call('HGET', last, node) or '')
if isNew then
  for at = 6, #KEYS do
    if ARGV[2 * at - 5] == '1' then
      redis.call('HSET', KEYS[at], node, ARGV[2 * at - 4])
    else
      redis.call('HDEL', KEYS[at], node)
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
