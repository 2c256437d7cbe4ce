import { randomUUID } from 'node:crypto';
import { backoffMs, pause } from '../../../process/backoff';
import { reasonOf } from '../../../process/reason-of';
import type { RedisLink } from '../../../stream/connection';
import { alertOf, type AboutNode, type Alert } from './alert';
import { recent, type NodeAlarms } from './alert-state';
import { alarmsOf, KEPT } from './handle-event';

/** The delivery of the alarms that a group keeps of one partition. */
export interface Delivery {
  readonly link: RedisLink;
  /** Where the names of what the group keeps begin. */
  readonly keep: string;
  readonly about: (nodeId: string) => AboutNode;
  readonly send: (alerts: ReadonlyArray<Alert>) => Promise<void>;
  /** Time (ms) after which all alarms are sent again. */
  readonly resendMs: number;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** An alarm that is not sent again counts as over after so many times as it should have been. */
const LASTS_RESENDS = 10;
const TICK_MS = 200;
/** After this time (ms) without a word another process delivers. */
const LEADS_MS = 10_000;
const PAUSES = { firstMs: 500, longestMs: 10_000 };
const PAGE = 200;

/**
 * Sends the alarms of a partition until the signal aborts: those of a node as soon as they change, and all of them again and
 * again, since Alertmanager forgets what is not repeated, and all when it restarts.
 *
 * Of several processes one delivers: an older state of a node must not follow a newer one.
 */
export const deliver = async (delivery: Delivery): Promise<void> => {
  const { signal, report, resendMs, link, keep } = delivery;
  const token = randomUUID();
  let resendAt = 0;
  let tries = 0;
  const pass = async (): Promise<void> => {
    if (!(await leads(delivery, token))) {
      resendAt = 0;
      return;
    }
    if (performance.now() >= resendAt) {
      await sendAll(delivery);
      resendAt = performance.now() + resendMs;
    }
    await sendChanged(delivery);
  };
  while (!signal.aborted) {
    try {
      await pass();
      if (tries > 0) report('alerts are delivered again');
      tries = 0;
      await pause(TICK_MS, signal);
    } catch (error) {
      if (tries === 0 && link.client.isReady) report(`alerts wait: ${reasonOf(error)}`);
      tries += 1;
      resendAt = 0; // an Alertmanager that restarts knows nothing
      await pause(backoffMs(PAUSES, tries), signal);
    }
  }
  await pass().catch(() => undefined);
  await link.client.eval(YIELD, { keys: [`${keep}:sender`], arguments: [token] }).catch(() => undefined);
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

const leads = async ({ link, keep }: Delivery, token: string): Promise<boolean> =>
  (await link.client.eval(LEAD, { keys: [`${keep}:sender`], arguments: [token, String(LEADS_MS)] })) === 1;

const sendAll = async (delivery: Delivery): Promise<void> => {
  const { link, keep } = delivery;
  const hash = `${keep}:${KEPT.alarms}`;
  let cursor = '0';
  do {
    const page = await link.client.hScan(hash, cursor, { COUNT: PAGE });
    cursor = page.cursor;
    const now = Date.now();
    const known = page.entries.map(({ field, value }) => ({ nodeId: field, text: value, alarms: alarmsOf(value) }));
    await sendAlarms(delivery, known, now);
    for (const { nodeId, text, alarms } of known)
      if (alarms.active.length === 0 && recent(alarms.ended, now).length === 0)
        await link.client.eval(REMOVE, { keys: [hash], arguments: [nodeId, text] });
  } while (cursor !== '0');
};

/** The mark is read before the alarms, so what is sent is not older than it. */
const sendChanged = async (delivery: Delivery): Promise<void> => {
  const { link, keep } = delivery;
  const hash = `${keep}:${KEPT.changed}`;
  let cursor = '0';
  do {
    const page = await link.client.hScan(hash, cursor, { COUNT: PAGE });
    cursor = page.cursor;
    const nodes = page.entries.map(({ field }) => field);
    if (nodes.length === 0) continue;
    const texts = await link.client.hmGet(`${keep}:${KEPT.alarms}`, nodes);
    const known = nodes.map((nodeId, at) => ({ nodeId, alarms: alarmsOf(texts[at] ?? undefined) }));
    await sendAlarms(delivery, known, Date.now());
    for (const { field, value } of page.entries)
      await link.client.eval(REMOVE, { keys: [hash], arguments: [field, value] });
  } while (cursor !== '0');
};

interface KnownNode {
  readonly nodeId: string;
  readonly alarms: NodeAlarms;
}

const sendAlarms = async (
  { about, send, resendMs }: Delivery,
  nodes: ReadonlyArray<KnownNode>,
  now: number,
): Promise<void> => {
  const lastsUntil = now + LASTS_RESENDS * resendMs;
  const alerts = nodes.flatMap(({ nodeId, alarms: { active, ended } }) => {
    const node = about(nodeId);
    return [...recent(ended, now), ...active].map((alarm) => alertOf(nodeId, alarm, node, lastsUntil));
  });
  if (alerts.length > 0) await send(alerts);
};
