import type { RedisConnection } from '../../../stream/redis-connection';
import { alarmsAt, alarmsOf, nextDue } from './alarms';
import { advanceDueTime, type Group } from './due-time';
import { SORTED_SETS, HASHES } from './handle-event';
import {
  flowedAt,
  flowUntil,
  withoutOldGaps,
  type EntryTimes,
  type Flow,
  type Measured,
  type Silence,
} from './silence';
import type { Timing } from './timing';

export interface TimedGroup extends Group {
  readonly timing: Timing;
}

/** The field in the hash of silences that stands for the stream itself. */
export const STREAM = '';

const PAGE = 500;
/** Approximate time limit (ms) for marking nodes. The next look marks the rest, so that marked nodes are sent in between. */
const LOOK_MS = 500;

/**
 * Returns `markDue`, which marks the nodes whose alarms or silences are due, so that they are sent. A script sets the mark and
 * the next due time in one step, and only if no event changed the node in between. So no mark is lost, and none is out of date.
 * `markDue` returns the time up to which alarms are due (epoch ms, by Redis' clock).
 *
 * Only the process that delivers calls `markDue`.
 */
export const createClock = (of: TimedGroup, isLeading: () => Promise<boolean>) => {
  /** `seen`: the time (epoch ms) up to which entries were read. `since`: when (`performance.now`) `seen` last advanced. */
  let stuck = { seen: -1, since: 0 };
  const markDue = async (): Promise<number> => {
    const { now, until, isBehind, asOf } = await advanceDueTime(of);
    if (of.timing.isDelayed) await markAlarms(of, asOf, isLeading);
    if (of.timing.silentAfter === undefined) return asOf;
    const before = await keptFlow(of);
    const { seen } = await markSilences(of, before, until, of.timing.silentAfter, isLeading);
    if (stuck.seen !== seen) stuck = { seen, since: performance.now() };
    const startsAt = seen + gapMsOf(of.timing.silentAfter);
    const isStuck = performance.now() - stuck.since >= startsAt - seen;
    // If this look advanced `seen`, it may have stopped at its limit of steps, before the newest entry.
    const isAtEnd = seen === before.seen && (!isBehind || isStuck);
    await markStream(of, seen, now >= startsAt && isAtEnd ? startsAt : undefined);
    return asOf;
  };
  return { markDue };
};

/** Longest time (ms) without an entry in which the stream still counts as flowing. */
const gapMsOf = ({ shortestMs }: { readonly shortestMs: number }): number => Math.floor(shortestMs / 3);

const markAlarms = async (
  { redis, keyPrefix, timing }: TimedGroup,
  until: number,
  isLeading: () => Promise<boolean>,
): Promise<void> => {
  const hash = `${keyPrefix}:${HASHES.alarms}`;
  for await (const nodes of duePages(redis, `${keyPrefix}:${SORTED_SETS.alarms}`, until, isLeading)) {
    const texts = await redis.client.hmGet(hash, nodes);
    const marks = nodes.flatMap((nodeId, at) => {
      const { delays } = timing.of(nodeId);
      const next = nextDue(alarmsAt(alarmsOf(texts[at] ?? undefined), until, delays), delays);
      return [nodeId, texts[at] ?? '', next === undefined ? '' : String(next)];
    });
    await redis.client.eval(MARK_ALARMS, {
      keys: [hash, `${keyPrefix}:${SORTED_SETS.alarms}`, `${keyPrefix}:${HASHES.changed}`],
      arguments: [`due ${until}`, ...marks],
    });
  }
};

/** KEYS: alarms, due times, marks. ARGV: the mark; then per node its id, its alarms as read, and the next due time or ''. */
const MARK_ALARMS = `local alarms, due, changed = KEYS[1], KEYS[2], KEYS[3]
for at = 2, #ARGV, 3 do
  local node, text, next = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if (redis.call('HGET', alarms, node) or '') == text then
    if next == '' then redis.call('ZREM', due, node) else redis.call('ZADD', due, next, node) end
    redis.call('HSET', changed, node, ARGV[1])
  end
end
`;

/** Yields the nodes that are due, in pages. The caller must change the due times of a page before it takes the next page. */
async function* duePages(redis: RedisConnection, key: string, until: number, isLeading: () => Promise<boolean>) {
  let before: ReadonlyArray<string> = [];
  for (const begun = performance.now(); performance.now() - begun < LOOK_MS;) {
    const nodes = await redis.client.zRangeByScore(key, '-inf', until, { LIMIT: { offset: 0, count: PAGE } });
    // These nodes are still due, because an event changed them before the script could. The next look marks them.
    if (nodes.length === 0 || (before.length > 0 && nodes.every((node) => before.includes(node)))) return;
    if (!(await isLeading())) return;
    yield nodes;
    before = nodes;
  }
}

const markSilences = async (
  of: TimedGroup,
  before: Flow,
  until: number,
  silentAfter: NonNullable<Timing['silentAfter']>,
  isLeading: () => Promise<boolean>,
): Promise<Flow> => {
  const { redis, keyPrefix, timing } = of;
  const flow = await flowUntil(before, until - 1, gapMsOf(silentAfter), entriesOf(of));
  await keepFlow(of, flow);
  const [hash, due] = [`${keyPrefix}:${HASHES.measured}`, `${keyPrefix}:${SORTED_SETS.silence}`];
  for await (const nodes of duePages(redis, due, flow.seen, isLeading)) {
    const texts = await redis.client.hmGet(hash, nodes);
    const marks = nodes.flatMap((nodeId, at) => {
      const [text = '', { silentAfterMs }] = [texts[at] ?? undefined, timing.of(nodeId)];
      if (text === '' || silentAfterMs === undefined) return [nodeId, text, '', ''];
      const measured = JSON.parse(text) as Measured;
      const startsAt = flowedAt(flow.gaps, measured.at, silentAfterMs);
      if (startsAt > flow.seen) return [nodeId, text, String(startsAt), ''];
      const silence: Silence = { ...measured, startsAt };
      return [nodeId, text, '', JSON.stringify(silence)];
    });
    await redis.client.eval(MARK_SILENCES, {
      keys: [hash, due, `${keyPrefix}:${HASHES.silent}`, `${keyPrefix}:${HASHES.changed}`],
      arguments: [`silent ${until}`, ...marks],
    });
  }
  // Keep all gaps: nodes that are still due need the old ones.
  if ((await redis.client.zRangeByScore(due, '-inf', flow.seen, { LIMIT: { offset: 0, count: 1 } })).length > 0)
    return flow;
  const shorter = withoutOldGaps(flow, silentAfter.longestMs);
  if (shorter.gaps.length < flow.gaps.length) await keepFlow(of, shorter);
  return shorter;
};

/**
 * KEYS: last measurements, due times, silences, marks. ARGV: the mark; then per node its id, its last measurement as read, when
 * it may become silent or '', and its silence or ''.
 */
const MARK_SILENCES = `local measured, silence, silent, changed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
for at = 2, #ARGV, 4 do
  local node, text, next, told = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if (redis.call('HGET', measured, node) or '') == text then
    if next == '' then redis.call('ZREM', silence, node) else redis.call('ZADD', silence, next, node) end
    if told ~= '' then
      redis.call('HSET', silent, node, told)
      redis.call('HSET', changed, node, ARGV[1])
    end
  end
end
`;

const keptFlow = async ({ redis, stream, keyPrefix }: TimedGroup): Promise<Flow> => {
  const [seen, gaps] = await redis.client.hmGet(`${keyPrefix}:flow`, ['seen', 'gaps']);
  if (typeof seen === 'string') return { seen: Number(seen), gaps: JSON.parse(gaps ?? '[]') as Flow['gaps'] };
  const [first] = (await redis.client.xRange(stream, '-', '+', { COUNT: 1 })) ?? [];
  return { seen: first === undefined ? 0 : msOf(first), gaps: [] };
};

const keepFlow = async ({ redis, keyPrefix }: TimedGroup, { seen, gaps }: Flow): Promise<void> => {
  await redis.client.hSet(`${keyPrefix}:flow`, { seen: String(seen), gaps: JSON.stringify(gaps) });
};

const entriesOf = ({ redis, stream }: TimedGroup): EntryTimes => {
  const one = { COUNT: 1 };
  const timeOf = (found: ReadonlyArray<{ readonly id: string }> | null): number | undefined => {
    const [entry] = found ?? [];
    return entry && msOf(entry);
  };
  return {
    last: async (from, to) =>
      from > to ? undefined : timeOf(await redis.client.xRevRange(stream, String(to), String(from), one)),
    first: async (from, to) =>
      from > to ? undefined : timeOf(await redis.client.xRange(stream, String(from), String(to), one)),
  };
};

const msOf = ({ id }: { readonly id: string }): number => Number.parseInt(id, 10);

/** Marks the stream as silent from `startsAt` on, or (undefined) as not silent. Without a measured node it is never silent. */
const markStream = async (
  { redis, keyPrefix }: TimedGroup,
  seen: number,
  startsAt: number | undefined,
): Promise<void> => {
  const text = await redis.client.hGet(`${keyPrefix}:${HASHES.silent}`, STREAM);
  const storedSilence = typeof text === 'string' ? (JSON.parse(text) as Silence) : undefined;
  const activeSilence = storedSilence?.endsAt === undefined ? storedSilence : undefined;
  if ((activeSilence !== undefined) === (startsAt !== undefined)) return;
  if (startsAt !== undefined && (await redis.client.hLen(`${keyPrefix}:${HASHES.measured}`)) === 0) return;
  const began = startsAt !== undefined && { at: seen, since: seen, status: 0, startsAt };
  const ended = activeSilence && {
    ...activeSilence,
    endsAt: Math.max(seen, activeSilence.startsAt),
    handledAt: Date.now(),
  };
  await redis.client.eval(MARK_STREAM, {
    keys: [`${keyPrefix}:${HASHES.silent}`, `${keyPrefix}:${HASHES.changed}`],
    arguments: [STREAM, JSON.stringify(began === false ? ended : began), `stream ${seen}`],
  });
};

/** KEYS: silences, marks. ARGV: the field of both hashes, the silence, the mark. */
const MARK_STREAM = `redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
`;
