import { randomUUID } from 'node:crypto';
import { backoffMs, pause } from '../../../process/backoff';
import { reasonOf } from '../../../process/reason-of';
import { createReminder } from '../../../process/reminder';
import { alarmsAt, alarmsOf, isRecent } from './alarms';
import { afterChanges, type Changes } from '../../changes';
import { createClock, STREAM, type TimedGroup } from './clock';
import { acquireLease } from './due-time';
import { HASHES } from './handle-event';
import { countOf, sendAlarms, type NodeToSend, type ExtendLease, type AlertTarget } from './send-alarms';
import { updateSilence, type Measured, type Silence } from './silence';

export interface Delivery extends TimedGroup, AlertTarget {
  readonly report: (line: string) => void;
  /** Counts failed tries to deliver. */
  readonly count: (failures: number) => void;
  readonly signal: AbortSignal;
}

const TICK_MS = 200;
/** Lease (ms) of the process that delivers, as long as two calls to Alertmanager take at most. */
const LEASE_MS = 10_000;
const PAUSES = { firstMs: 500, longestMs: 5_000 };
/** Interval (ms) between two removals of stored changes that are too old to be counted. */
const SWEEP_MS = 3_600_000;
/** Time (ms) for further tries after the signal, with `--catch-up`: longer than a lease that another process may still have. */
const CATCH_UP_MS = 1.5 * LEASE_MS;
const PAGE = 200;

/**
 * Sends the alarms of a node as soon as they change, until the signal aborts. It also sends all alarms every `resendMs`,
 * because Alertmanager forgets an alert that is not repeated, and all alerts when it restarts. Resolves to whether at the end
 * all changes are delivered, by this process or another.
 *
 * Only one process of a group delivers at a time, so that an older state of a node never follows a newer one. If Alertmanager
 * handles a call after its time limit, the next resend corrects the effect.
 */
export const deliver = async (delivery: Delivery): Promise<boolean> => {
  const { signal, report, count, resendMs, redis, keyPrefix, catchUp, timing } = delivery;
  const token = randomUUID();
  /** When (`performance.now`) all alarms are next sent again. 0, which means at once, after a failure or without the lease. */
  let resendAt = 0;
  /** Whether this process has sent all alarms since it got the lease. */
  let hasSentAll = false;
  let sweepAt = 0;
  let tries = 0;
  const reminder = createReminder();
  const extendLease = async (): Promise<number | undefined> => {
    const until = performance.now() + LEASE_MS;
    if (await acquireLease(delivery, token, LEASE_MS)) return until;
    [resendAt, hasSentAll] = [0, false];
    return undefined;
  };
  const isTimed = timing.isDelayed || timing.silentAfter !== undefined;
  const clock = createClock(delivery, async () => (await extendLease()) !== undefined);
  const deliverDue = async (): Promise<void> => {
    if ((await extendLease()) === undefined) return;
    const asOf = isTimed ? await clock.markDue() : Date.now();
    await sendChanged(delivery, extendLease, asOf);
    if (performance.now() < resendAt) return;
    resendAt = performance.now() + resendMs;
    await sendAll(delivery, extendLease, asOf, !hasSentAll);
    hasSentAll = (await extendLease()) !== undefined;
    if (performance.now() < sweepAt) return;
    sweepAt = performance.now() + SWEEP_MS;
    await sweepChanges(delivery, extendLease);
  };
  const recordFailure = (error: unknown): void => {
    if (redis.client.isReady && reminder.isDue()) report(`alerts wait: ${reasonOf(error)}`);
    tries += 1;
    count(1);
    resendAt = 0; // an Alertmanager that restarted has forgotten all alerts
  };
  while (!signal.aborted) {
    try {
      await deliverDue();
      if (tries > 0) report('alerts are delivered again');
      tries = 0;
      reminder.end();
      await pause(TICK_MS, signal);
    } catch (error) {
      recordFailure(error);
      await pause(backoffMs(PAUSES, tries), signal);
    }
  }
  const hasDeliveredAll = async (): Promise<boolean> => {
    try {
      await deliverDue();
      return (await redis.client.hLen(`${keyPrefix}:${HASHES.changed}`)) === 0;
    } catch (error) {
      recordFailure(error);
      return false;
    }
  };
  const until = performance.now() + (catchUp ? CATCH_UP_MS : 0);
  let isDelivered = await hasDeliveredAll();
  while (!isDelivered && performance.now() < until) {
    await pause(PAUSES.firstMs);
    isDelivered = await hasDeliveredAll();
  }
  await redis.client.eval(RELEASE_LEASE, { keys: [`${keyPrefix}:sender`], arguments: [token] }).catch(() => undefined);
  return isDelivered;
};

const RELEASE_LEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;
/** Removes the fields of a hash that still hold the texts that were read. ARGV: per field its name and the text. */
const REMOVE = `
for at = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[at]) == ARGV[at + 1] then redis.call('HDEL', KEYS[1], ARGV[at]) end
end
`;
/** Replaces the fields of a hash that still hold the texts that were read. ARGV: per field its name, the old, the new text. */
const SWAP = `
for at = 1, #ARGV, 3 do
  if redis.call('HGET', KEYS[1], ARGV[at]) == ARGV[at + 1] then redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 2]) end
end
`;

/** Yields a hash in pages. It extends the lease before each page, and ends if another process has the lease. */
async function* pagesOf({ redis }: Delivery, hash: string, extendLease: ExtendLease) {
  let cursor = '0';
  do {
    const until = await extendLease();
    if (until === undefined) return;
    const page = await redis.client.hScan(hash, cursor, { COUNT: PAGE });
    cursor = page.cursor;
    yield { entries: page.entries, until } as const;
  } while (cursor !== '0');
}

/** Sends all alarms and ends of marked nodes. It reads the alarms after the mark, so that they are not older than the mark. */
const sendChanged = async (delivery: Delivery, extendLease: ExtendLease, asOf: number): Promise<void> => {
  const { redis, keyPrefix, timing } = delivery;
  const hash = `${keyPrefix}:${HASHES.changed}`;
  for await (const { entries, until } of pagesOf(delivery, hash, extendLease)) {
    const nodes = entries.map(({ field }) => field);
    if (nodes.length === 0) continue;
    const [texts, changes, silences] = await Promise.all([
      redis.client.hmGet(`${keyPrefix}:${HASHES.alarms}`, nodes),
      changesOf(delivery, nodes),
      timing.silentAfter === undefined ? [] : redis.client.hmGet(`${keyPrefix}:${HASHES.silent}`, nodes),
    ]);
    const silencesNow = await updateSilences(delivery, nodes, silences);
    const known = entries.map(({ field: nodeId, value: text }, at) => ({
      nodeId,
      text,
      changes: changes[at] ?? {},
      silence: silencesNow[at],
      alarms: alarmsAt(alarmsOf(texts[at] ?? undefined), asOf, timing.of(nodeId).delays),
    }));
    await sendAlarms(delivery, known, extendLease, until, (sent) => removeRead(delivery, hash, sent));
  }
};

/**
 * Sends all alarms again. `sendChanged` has sent every end at least once, so ends that are too old to be sent again are left
 * out. If the lease is new (`isNew`), it also sends old ends that are not stored: they follow from this process's own options.
 */
const sendAll = async (delivery: Delivery, extendLease: ExtendLease, asOf: number, isNew: boolean): Promise<void> => {
  const { keyPrefix, timing } = delivery;
  const resendFrom = async (
    name: string,
    knownOf: (nodes: ReadonlyArray<string>, texts: ReadonlyArray<string>) => Promise<ReadonlyArray<NodeToSend>>,
  ): Promise<void> => {
    const hash = `${keyPrefix}:${name}`;
    for await (const { entries, until } of pagesOf(delivery, hash, extendLease)) {
      const fields = entries.map(({ field }) => field);
      const known =
        fields.length === 0
          ? []
          : await knownOf(
              fields,
              entries.map(({ value }) => value),
            );
      await sendAlarms(delivery, known, extendLease, until, (sent) => {
        const over = sent.filter((one) => countOf(one) === 0 && (one.alarms.pending ?? []).length === 0);
        return removeRead(delivery, hash, over);
      });
    }
  };
  await resendFrom(HASHES.alarms, async (nodes, texts) => {
    const now = Date.now();
    const changes = await changesOf(delivery, nodes);
    return nodes.map((nodeId, at) => {
      const text = texts[at] ?? '';
      const kept = alarmsOf(text);
      const alarms = alarmsAt(kept, asOf, timing.of(nodeId).delays);
      const ended = alarms.ended.filter((end) => isRecent(end.handledAt, now) || (isNew && !kept.ended.includes(end)));
      return { nodeId, text, changes: changes[at] ?? {}, alarms: { ...alarms, ended } };
    });
  });
  if (timing.silentAfter === undefined) return;
  await resendFrom(HASHES.silent, async (nodes, texts) => {
    const now = Date.now();
    const silences = await updateSilences(delivery, nodes, texts);
    return nodes.map((nodeId, at) => {
      const silence = silences[at];
      const isOld = silence?.handledAt !== undefined && !isRecent(silence.handledAt, now);
      return { nodeId, text: texts[at] ?? '', changes: {}, alarms: alarmsOf(), silence: isOld ? undefined : silence };
    });
  });
};

/** Removes the stored changes of nodes that had no change in the last day and have no stored alarms. */
const sweepChanges = async (delivery: Delivery, extendLease: ExtendLease): Promise<void> => {
  const { redis, keyPrefix } = delivery;
  const hash = `${keyPrefix}:${HASHES.changes}`;
  for await (const { entries } of pagesOf(delivery, hash, extendLease)) {
    const now = Date.now();
    const old = entries.filter(
      ({ value }) => Object.keys(afterChanges(JSON.parse(value) as Changes, [], now)).length === 0,
    );
    if (old.length === 0) continue;
    const nodes = old.map(({ field }) => field);
    const alarms = await redis.client.hmGet(`${keyPrefix}:${HASHES.alarms}`, nodes);
    const over = old.filter((_, at) => alarms[at] === null);
    await removeRead(
      delivery,
      hash,
      over.map(({ field, value }) => ({ nodeId: field, text: value })),
    );
  }
};

const changesOf = async (
  { redis, keyPrefix }: Delivery,
  nodes: ReadonlyArray<string>,
): Promise<ReadonlyArray<Changes>> => {
  const texts = await redis.client.hmGet(`${keyPrefix}:${HASHES.changes}`, [...nodes]);
  return texts.map((text) => JSON.parse(text ?? '{}') as Changes);
};

/** The silences of nodes, ended if the node was measured again or is no longer watched. An end is stored before it is sent. */
const updateSilences = async (
  { redis, keyPrefix, timing }: Delivery,
  nodes: ReadonlyArray<string>,
  texts: ReadonlyArray<string | null>,
): Promise<ReadonlyArray<Silence | undefined>> => {
  if (!texts.some((text) => text !== null)) return [];
  const measured = await redis.client.hmGet(`${keyPrefix}:${HASHES.measured}`, [...nodes]);
  const swaps: string[] = [];
  const silences = nodes.map((nodeId, at) => {
    const [text, last] = [texts[at] ?? undefined, measured[at] ?? undefined];
    if (text === undefined) return undefined;
    const known = JSON.parse(text) as Silence;
    if (nodeId === STREAM) return known;
    const isWatched = last !== undefined && timing.of(nodeId).silentAfterMs !== undefined;
    const silence = updateSilence(known, isWatched ? (JSON.parse(last) as Measured) : undefined, Date.now());
    if (silence !== known) swaps.push(nodeId, text, JSON.stringify(silence));
    return silence;
  });
  if (swaps.length > 0) await redis.client.eval(SWAP, { keys: [`${keyPrefix}:${HASHES.silent}`], arguments: swaps });
  return silences;
};

/** Removes nodes from a hash, by one call. A node whose text has changed since it was read stays. */
const removeRead = async (
  { redis }: Delivery,
  hash: string,
  nodes: ReadonlyArray<Pick<NodeToSend, 'nodeId' | 'text'>>,
): Promise<void> => {
  if (nodes.length === 0) return;
  await redis.client.eval(REMOVE, { keys: [hash], arguments: nodes.flatMap(({ nodeId, text }) => [nodeId, text]) });
};
