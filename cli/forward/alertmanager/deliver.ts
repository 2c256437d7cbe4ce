import { randomUUID } from 'node:crypto';
import { backoffMs, pause } from '../../../process/backoff';
import { reasonOf } from '../../../process/reason-of';
import { createReminder } from '../../../process/reminder';
import type { RedisLink } from '../../../stream/link';
import { alertOf, type AboutNode, type Alert } from './alert';
import { alarmsOf, KEPT, recent, type NodeAlarms } from './alarms';
import { MOST_ALERTS } from './alertmanager';

export interface Delivery {
  readonly link: RedisLink;
  /** Where the names of what the group keeps begin. */
  readonly keep: string;
  readonly about: (nodeId: string) => AboutNode;
  readonly send: (alerts: ReadonlyArray<Alert>, withinMs: number) => Promise<void>;
  /** Time (ms) after which all alarms are sent again. */
  readonly resendMs: number;
  readonly report: (line: string) => void;
  /** Counts passes that failed. */
  readonly count: (failures: number) => void;
  readonly signal: AbortSignal;
  /** Whether to try on for a while after the signal, until all that changed is delivered. */
  readonly catchUp: boolean;
}

/** An alarm that is not sent again counts as over after so many times as it should have been. */
const LASTS_RESENDS = 10;
const TICK_MS = 200;
/** Time (ms) for which a process leads: longer than two calls take at most. */
const LEASE_MS = 10_000;
const PAUSES = { firstMs: 500, longestMs: 10_000 };
/** Time (ms) of the tries after the signal: another process may deliver until its lease ends. */
const SETTLES_WITHIN_MS = 1.5 * LEASE_MS;
const PAGE = 200;

/**
 * Sends the alarms until the signal aborts: those of a node as soon as they change, and all of them again and
 * again, since Alertmanager forgets what is not repeated, and all when it restarts. Yields whether all that changed is
 * delivered then, by whichever process.
 *
 * Of several processes one delivers: an older state of a node must not follow a newer one. What an Alertmanager takes after
 * its call was given up, the next resend puts right.
 */
export const deliver = async (delivery: Delivery): Promise<boolean> => {
  const { signal, report, count, resendMs, link, keep, catchUp } = delivery;
  const token = randomUUID();
  let resendAt = 0;
  let tries = 0;
  const reminder = createReminder();
  const lease = async (): Promise<number | undefined> => {
    const until = performance.now() + LEASE_MS;
    const keys = [`${keep}:sender`];
    if ((await link.client.eval(LEAD, { keys, arguments: [token, String(LEASE_MS)] })) === 1) return until;
    resendAt = 0;
    return undefined;
  };
  const pass = async (): Promise<void> => {
    if ((await lease()) === undefined) return;
    await sendChanged(delivery, lease);
    if (performance.now() < resendAt) return;
    resendAt = performance.now() + resendMs;
    await sendAll(delivery, lease);
  };
  const failed = (error: unknown): void => {
    if (link.client.isReady && reminder.isDue()) report(`alerts wait: ${reasonOf(error)}`);
    tries += 1;
    count(1);
    resendAt = 0; // an Alertmanager that restarts knows nothing
  };
  while (!signal.aborted) {
    try {
      await pass();
      if (tries > 0) report('alerts are delivered again');
      tries = 0;
      reminder.end();
      await pause(TICK_MS, signal);
    } catch (error) {
      failed(error);
      await pause(backoffMs(PAUSES, tries), signal);
    }
  }
  const isSettled = async (): Promise<boolean> => {
    try {
      await pass();
      return (await link.client.hLen(`${keep}:${KEPT.changed}`)) === 0;
    } catch (error) {
      failed(error);
      return false;
    }
  };
  const until = performance.now() + (catchUp ? SETTLES_WITHIN_MS : 0);
  let isDelivered = await isSettled();
  while (!isDelivered && performance.now() < until) {
    await pause(PAUSES.firstMs);
    isDelivered = await isSettled();
  }
  await link.client.eval(YIELD, { keys: [`${keep}:sender`], arguments: [token] }).catch(() => undefined);
  return isDelivered;
};

const LEAD = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;
const YIELD = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;
/** Removes a field of a hash that still holds the text. */
const REMOVE = `if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end`;

/** Makes this process the one that delivers: until when, by `performance.now`. Undefined while another one is. */
type Lease = () => Promise<number | undefined>;

/** The pages of a hash, each under a new lease; none more once another process delivers. */
async function* pagesOf({ link }: Delivery, hash: string, lease: Lease) {
  let cursor = '0';
  do {
    const until = await lease();
    if (until === undefined) return;
    const page = await link.client.hScan(hash, cursor, { COUNT: PAGE });
    cursor = page.cursor;
    yield { entries: page.entries, until } as const;
  } while (cursor !== '0');
}

/** The mark is read before the alarms, so what is sent is not older than it. Ends were not sent before: none is too old. */
const sendChanged = async (delivery: Delivery, lease: Lease): Promise<void> => {
  const { link, keep } = delivery;
  const hash = `${keep}:${KEPT.changed}`;
  for await (const { entries, until } of pagesOf(delivery, hash, lease)) {
    const nodes = entries.map(({ field }) => field);
    if (nodes.length === 0) continue;
    const texts = await link.client.hmGet(`${keep}:${KEPT.alarms}`, nodes);
    const known = entries.map(({ field, value }, at) => ({
      ...{ nodeId: field, text: value, alarms: alarmsOf(texts[at] ?? undefined) },
    }));
    await sendAlarms(delivery, known, lease, until, async (sent) => {
      for (const { nodeId, text } of sent) await link.client.eval(REMOVE, { keys: [hash], arguments: [nodeId, text] });
    });
  }
};

/** After what changed was sent: an end that is too old to be sent again is forgotten. */
const sendAll = async (delivery: Delivery, lease: Lease): Promise<void> => {
  const { link, keep } = delivery;
  const hash = `${keep}:${KEPT.alarms}`;
  for await (const { entries, until } of pagesOf(delivery, hash, lease)) {
    const now = Date.now();
    const known = entries.map(({ field, value }) => {
      const { active, ended } = alarmsOf(value);
      return { nodeId: field, text: value, alarms: { active, ended: recent(ended, now) } };
    });
    await sendAlarms(delivery, known, lease, until, async (sent) => {
      for (const { nodeId, text, alarms } of sent)
        if (countOf(alarms) === 0) await link.client.eval(REMOVE, { keys: [hash], arguments: [nodeId, text] });
    });
  }
};

interface Known {
  readonly nodeId: string;
  /** What the hash holds of it. */
  readonly text: string;
  readonly alarms: NodeAlarms;
}

const countOf = ({ active, ended }: NodeAlarms): number => active.length + ended.length;

/**
 * Sends alarms that were read under a lease, some nodes at a time: `done` gets those that were sent. Each has a lease of its own,
 * taken while the one before lasts, so that a slow Alertmanager gets the last of a page as well.
 */
const sendAlarms = async (
  { about, send, resendMs }: Delivery,
  nodes: ReadonlyArray<Known>,
  lease: Lease,
  firstUntil: number,
  done: (sent: ReadonlyArray<Known>) => Promise<void>,
): Promise<void> => {
  let until: number | undefined = firstUntil;
  for (const some of groupsOf(nodes)) {
    const lastsUntil = Date.now() + LASTS_RESENDS * resendMs;
    const alerts = some.flatMap(({ nodeId, alarms: { active, ended } }) =>
      [...ended, ...active].map((alarm) => alertOf(nodeId, alarm, about(nodeId), lastsUntil)),
    );
    const withinMs = Math.floor(until - performance.now());
    if (withinMs <= 0) throw new Error('Redis took too long');
    if (alerts.length > 0) await send(alerts, withinMs);
    await done(some);
    if (performance.now() >= until) throw new Error('Redis took too long');
    until = await lease();
    if (until === undefined) return;
  }
};

/** Nodes with about as many alarms as one call takes, in order; a node is never split. */
const groupsOf = (nodes: ReadonlyArray<Known>): ReadonlyArray<ReadonlyArray<Known>> => {
  const groups: Known[][] = [];
  let room = 0;
  for (const node of nodes) {
    room -= countOf(node.alarms);
    if (room < 0 || groups.length === 0) {
      groups.push([]);
      room = MOST_ALERTS - countOf(node.alarms);
    }
    groups.at(-1)?.push(node);
  }
  return groups;
};
