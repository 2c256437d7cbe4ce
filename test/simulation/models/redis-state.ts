/**
 * What a Redis server does with the commands that this service sends, without time and network.
 *
 * Source: https://redis.io/docs/latest/commands/ (XADD, XREAD, XINFO STREAM, ZADD, ZREM, ZRANGE, SET, EXISTS, TIME), and the
 * script of `stream/append.ts`. test/integration/simulation/redis-state.test.ts sends the same commands to a real one.
 */
export type RedisCommand =
  | { readonly name: 'append'; readonly keys: readonly [string, string]; readonly given: ReadonlyArray<string> }
  | {
      readonly name: 'zAdd';
      readonly key: string;
      readonly score: number;
      readonly value: string;
      /** Whether it changes only what is there already (XX). */
      readonly ifThere?: boolean;
    }
  | { readonly name: 'zRem'; readonly key: string; readonly values: ReadonlyArray<string> }
  | {
      readonly name: 'zRange';
      readonly key: string;
      readonly min: number;
      readonly max: number;
      readonly count: number;
    }
  | { readonly name: 'set'; readonly key: string; readonly value: string; readonly seconds: number }
  | { readonly name: 'pTTL'; readonly key: string }
  | { readonly name: 'time' }
  | { readonly name: 'xRead'; readonly key: string; readonly id: string; readonly count: number }
  | { readonly name: 'xInfo'; readonly key: string };

/** An entry of a stream. */
export type StreamEntry = { readonly id: string; readonly message: Readonly<Record<string, string>> };

interface StreamState {
  /** All that it ever had; those before `first` are trimmed. */
  readonly entries: StreamEntry[];
  first: number;
  lastMs: number;
  lastIndex: number;
  added: number;
}

/** All that one server keeps. */
export interface RedisState {
  readonly streams: Map<string, StreamState>;
  readonly hashes: Map<string, Map<string, string>>;
  readonly sorted: Map<string, Map<string, number>>;
  /** Keys of text, by the time (epoch ms) at which they expire. */
  readonly texts: Map<string, number>;
}

export const emptyRedis = (): RedisState => ({
  streams: new Map(),
  hashes: new Map(),
  sorted: new Map(),
  texts: new Map(),
});

/** An error that the server answers. */
export class RedisError extends Error {}

/** Commands that a server whose memory is full refuses (the flag `denyoom`); a script is refused by its first such command. */
const needsMemory: ReadonlySet<string> = new Set(['append', 'zAdd', 'set']);

/** Whether the command may change something. */
export const changes = ({ name }: { readonly name: string }): boolean => needsMemory.has(name) || name === 'zRem';

/** Carries out one command as the only one of its moment, and returns the reply as the client shows it. Throws `RedisError`. */
export const execute = (state: RedisState, command: RedisCommand, now: number, isFull = false): unknown => {
  if (isFull && needsMemory.has(command.name))
    throw new RedisError("OOM command not allowed when used memory > 'maxmemory'.");
  switch (command.name) {
    case 'append':
      return append(state, command, now);
    case 'zAdd': {
      const set = state.sorted.get(command.key) ?? new Map<string, number>();
      state.sorted.set(command.key, set);
      const isNew = !set.has(command.value);
      if (isNew && command.ifThere === true) return 0;
      set.set(command.value, command.score);
      return isNew ? 1 : 0;
    }
    case 'zRem': {
      const set = state.sorted.get(command.key);
      return command.values.filter((value) => set?.delete(value) === true).length;
    }
    case 'zRange':
      return [...(state.sorted.get(command.key) ?? [])]
        .filter(([, score]) => score >= command.min && score <= command.max)
        .map(([value, score]) => ({ value, score }))
        .sort((one, other) => one.score - other.score || (one.value < other.value ? -1 : 1))
        .slice(0, command.count);
    case 'set':
      state.texts.set(command.key, now + command.seconds * 1_000);
      return 'OK';
    case 'pTTL': {
      const ms = (state.texts.get(command.key) ?? 0) - now;
      return ms > 0 ? ms : -2;
    }
    case 'time':
      return [String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)];
    case 'xRead':
      return readAfter(state, command.key, command.id, command.count);
    case 'xInfo': {
      const stream = state.streams.get(command.key);
      if (stream === undefined) throw new RedisError('ERR no such key');
      return { 'last-generated-id': idOf(stream), 'entries-added': stream.added };
    }
  }
};

const hashAt = ({ hashes }: RedisState, key: string): Map<string, string> => {
  const hash = hashes.get(key) ?? new Map<string, string>();
  hashes.set(key, hash);
  return hash;
};

const idOf = ({ lastMs, lastIndex }: StreamState): string => `${lastMs}-${lastIndex}`;

/** The script of `stream/append.ts`: what is newer than the node's last id is appended, all in one step. */
const append = (
  state: RedisState,
  { keys: [stream, published], given }: Extract<RedisCommand, { name: 'append' }>,
  now: number,
): readonly [string, number] => {
  const [node = '', length = '', isFirst = '', countText = ''] = given;
  const count = Number(countText);
  const names = given.slice(4, 4 + count);
  const last = state.hashes.get(published)?.get(node) ?? '';
  const ids = given.filter((_, at) => at >= 4 + count && names[(at - 4) % count] === 'sequenceId');
  if (isFirst === '1' && last > (ids[0] ?? '') && !ids.includes(last)) return [last, 0];
  let newest = last;
  let added = 0;
  for (let at = 4 + count; at < given.length; at += count) {
    const message: Record<string, string> = {};
    names.forEach((name, index) => (message[name] = given[at + index] ?? ''));
    const id = message['sequenceId'] ?? '';
    if (id <= newest) continue;
    addEntry(state, stream, message, Number(length), now);
    newest = id;
    added += 1;
  }
  if (newest !== '') hashAt(state, published).set(node, newest);
  return [newest, added];
};

/**
 * Ids of entries never go back, whatever the clock does. `MAXLEN ~` keeps at least so many, and this one no more: a real server
 * trims about a hundred at once.
 */
export const addEntry = (
  { streams }: RedisState,
  key: string,
  message: StreamEntry['message'],
  maxLength: number,
  now: number,
): void => {
  const stream = streams.get(key) ?? { entries: [], first: 0, lastMs: 0, lastIndex: 0, added: 0 };
  streams.set(key, stream);
  if (now > stream.lastMs) [stream.lastMs, stream.lastIndex] = [now, 0];
  else stream.lastIndex += 1;
  stream.added += 1;
  stream.entries.push({ id: idOf(stream), message });
  if (maxLength > 0) stream.first = Math.max(stream.first, stream.entries.length - maxLength);
};

const readAfter = ({ streams }: RedisState, key: string, id: string, count: number): unknown => {
  const { entries, first: kept } = streams.get(key) ?? { entries: [], first: 0 };
  if (entries.at(-1)?.id === id) return null;
  const first = entries.findIndex((entry, index) => index >= kept && isAfter(entry.id, id));
  return first < 0 ? null : [{ name: key, messages: entries.slice(first, first + count) }];
};

const isAfter = (id: string, other: string): boolean => {
  const [ms = 0, index = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherIndex = 0] = other.split('-').map(Number);
  return ms > otherMs || (ms === otherMs && index > otherIndex);
};
