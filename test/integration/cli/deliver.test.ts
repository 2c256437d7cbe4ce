import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Alert } from '../../../cli/forward/alertmanager/alert';
import { afterEvent, alarmsOf, type HandledEvent } from '../../../cli/forward/alertmanager/alarms';
import { handleEvents } from '../../../cli/forward/alertmanager/handle-event';
import { immediateTiming } from '../../../cli/forward/alertmanager/timing';
import { sendToAll } from '../../../cli/forward/alertmanager/alertmanager';
import { deliver } from '../../../cli/forward/alertmanager/deliver';
import { consumeEvents } from '../../../stream/consumer';
import { keyPrefixOf } from '../../../stream/consumer/group';
import { createLog } from '../../../process/log';
import { connectRedis } from '../../../stream/connection';
import { createPublisher } from '../../../stream/append';
import { publishingNode } from '../../support/forward/publishing-node';
import { setExternalAlarm } from '../../support/commands';
import { anId } from '../../support/scenario';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import { startAnsweringServer } from '../../support/answering-server';

const url = inject('redisUrl');
const redis = sharedRedis();

const soon = { timeout: 60_000, interval: 50 };
const NODES = 900;
const LEADS_MS = 10_000;

type SentAlerts = { readonly at: number; readonly by: string; readonly alerts: ReadonlyArray<Alert> };

/** An Alertmanager that takes `ms` for each call. */
const slowReceiver = async (ms: number) => {
  const sent: SentAlerts[] = [];
  const server = await startAnsweringServer(async (_request, response, body) => {
    const alerts = JSON.parse(body.toString()) as ReadonlyArray<Alert>;
    sent.push({ at: performance.now(), by: alerts[0]?.generatorURL ?? '', alerts });
    await sleep(ms);
    response.end();
  });
  onTestFinished(server.close);
  const waitForAllSent = () =>
    vi.waitFor(() => {
      const nodes = sent.flatMap(({ alerts }) => alerts.map(({ labels }) => labels['node']));
      expect(new Set(nodes).size).toBe(NODES);
    }, soon);
  return {
    sent,
    waitForAllSent,
    sendTo: sendToAll(
      [new URL(server.url)],
      () => undefined,
      () => undefined,
    ),
  };
};

const names = () => {
  const [stream, group] = [`delivered-${randomUUID()}`, 'alerts'];
  return { stream, group, keyPrefix: keyPrefixOf(stream, group) };
};

/** Delivers as the process `name`, until the test is over. */
const start = (
  name: string,
  own: ReturnType<typeof names>,
  sendTo: (alerts: ReadonlyArray<Alert>, withinMs: number) => Promise<void>,
  resendMs = 60_000,
): void => {
  const redis = connectRedis({ url, log: createLog({ level: 'silent', process: name }), name });
  const ended = new AbortController();
  const delivering = deliver({
    ...{ ...own, timing: immediateTiming, redis, send: sendTo, resendMs, signal: ended.signal, catchUp: false },
    about: () => ({ labels: {}, link: name }),
    ...{ report: () => undefined, count: () => undefined },
  });
  onTestFinished(async () => {
    ended.abort();
    await delivering;
    await redis.close();
  });
};

const happened = (parts: HandledEvent['parts']): HandledEvent => {
  const now = Date.now();
  return { parts, limits: {}, at: now, notifiedUntil: now, now };
};

/** Keeps an alarm of each of many nodes, as the group does. */
const keepAlarms = async ({ keyPrefix }: ReturnType<typeof names>): Promise<void> => {
  const text = JSON.stringify(afterEvent(alarmsOf(), happened([{ part: 'external', status: 4 }])));
  await redis.hSet(`${keyPrefix}:alarms`, Object.fromEntries(Array.from({ length: NODES }, (_, n) => [anId(n), text])));
};

test('of two processes one delivers, also while all alarms take far longer than its lease', async () => {
  const own = names();
  await keepAlarms(own);
  const { sent, waitForAllSent, sendTo } = await slowReceiver(3_500);
  start('first', own, sendTo);
  await vi.waitFor(() => expect(sent).toHaveLength(1), soon);
  start('second', own, sendTo);
  await waitForAllSent();
  const [{ at: begin } = { at: 0 }] = sent;
  expect(performance.now() - begin).toBeGreaterThan(LEADS_MS);
  expect(new Set(sent.map(({ by }) => by))).toEqual(new Set(['first']));
}, 60_000);

test('one that lost its lease sends no further page: another may have sent newer alarms', async () => {
  const own = names();
  await keepAlarms(own);
  const { sent, waitForAllSent, sendTo } = await slowReceiver(500);
  start('first', own, sendTo);
  await vi.waitFor(() => expect(sent).toHaveLength(1), soon);
  await redis.set(`${own.keyPrefix}:sender`, 'another', { PX: 4_000 });
  await sleep(3_000);
  expect(sent.length).toBe(1);
  await waitForAllSent();
}, 60_000);

test('an Alertmanager that is so slow that a page of nodes takes longer than a lease gets all alarms, each call once', async () => {
  const own = names();
  const parts = [0, 1, 2, 3].map((band) => ({ part: `band ${band}`, status: 4 as const }));
  const text = JSON.stringify(afterEvent(alarmsOf(), happened(parts)));
  const nodes = Array.from({ length: 180 }, (_, n) => anId(n));
  await redis.hSet(`${own.keyPrefix}:alarms`, Object.fromEntries(nodes.map((node) => [node, text])));
  await redis.hSet(`${own.keyPrefix}:changed`, Object.fromEntries(nodes.map((node) => [node, '1'])));
  const taken: string[] = [];
  start('first', own, async (alerts, withinMs) => {
    const callMs = 4_000 * Math.ceil(alerts.length / 256);
    await sleep(Math.min(callMs, withinMs));
    if (callMs > withinMs) throw new Error('no time is left for this call');
    taken.push(...alerts.map(({ labels }) => `${labels['node']} ${labels['part']}`));
  });
  await vi.waitFor(async () => expect(await redis.hLen(`${own.keyPrefix}:changed`)).toBe(0), { timeout: 40_000 });
  expect([new Set(taken).size, taken.length]).toEqual([720, 720]);
}, 60_000);

test('a call is given up before the lease ends', async () => {
  const own = names();
  await keepAlarms(own);
  const within: number[] = [];
  start('first', own, async (_, withinMs) => {
    within.push(withinMs);
    await sleep(100);
  });
  await vi.waitFor(() => expect(within.length).toBeGreaterThan(3), soon);
  for (const ms of within) expect([ms > LEADS_MS / 2, ms <= LEADS_MS]).toEqual([true, true]);
});

/** Sets the external alarm of a node that publishes it. */
const alarmOf = ({ stream }: ReturnType<typeof names>, nodeId: string) => {
  const node = publishingNode(createPublisher({ client: redis }, eventSettings({ stream })), nodeId);
  return (status: number, at: number): Promise<void> => node.take(setExternalAlarm({ status }), at);
};
const consume = (own: ReturnType<typeof names>): void => {
  const ended = new AbortController();
  const handle = handleEvents(immediateTiming.of, async (appendedAt) => appendedAt);
  const consuming = consumeEvents({ redis: { url }, ...own, handle, signal: ended.signal });
  onTestFinished(async () => {
    ended.abort();
    await consuming;
  });
};
const HOUR_MS = 3_600_000;

test('an Alertmanager that fails is no outage of Redis, after which alarms would wait', async () => {
  const own = names();
  await keepAlarms(own);
  let tries = 0;
  const failing = async (): Promise<void> => {
    tries += 1;
    await sleep(6_000);
    throw new Error('503');
  };
  start('first', own, failing, 1_000);
  await vi.waitFor(() => expect(tries).toBe(5), soon);
  expect(await redis.hExists(`${own.keyPrefix}:flow`, 'waits')).toBe(0);
}, 90_000);

test('an end that is handled an hour after it happened is sent', async () => {
  const own = names();
  const setAlarm = alarmOf(own, anId(1));
  const sent: Alert[] = [];
  consume(own);
  start('first', own, async (alerts) => void sent.push(...alerts), 500);
  await setAlarm(4, Date.now() - 2 * HOUR_MS);
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), soon);
  const endedAt = Date.now() - HOUR_MS;
  await setAlarm(2, endedAt);
  const ends = () => sent.filter(({ endsAt }) => endsAt === new Date(endedAt).toISOString());
  await vi.waitFor(() => expect(ends().length).toBeGreaterThan(2), soon); // again and again, as any end
});

test('an end that lies an hour back because an option was taken away is sent', async () => {
  const own = names();
  const of = { for: 0, keepFiringFor: 3 * HOUR_MS };
  const [now, delays] = [Date.now(), { danger: of, alert: of }];
  const event = (status: 2 | 4, at: number) => ({ ...happened([{ part: 'external', status }]), at, notifiedUntil: at });
  const active = afterEvent(alarmsOf(), event(4, now - 2 * HOUR_MS), delays);
  const endedAt = now - HOUR_MS;
  await redis.hSet(`${own.keyPrefix}:alarms`, anId(1), JSON.stringify(afterEvent(active, event(2, endedAt), delays)));
  const sent: Alert[] = [];
  start('first', own, async (alerts) => void sent.push(...alerts), 500);
  await vi.waitFor(() => expect(sent.map(({ endsAt }) => endsAt)).toEqual([new Date(endedAt).toISOString()]), soon);
  await vi.waitFor(async () => expect(await redis.hLen(`${own.keyPrefix}:alarms`)).toBe(0), soon);
});

test('of a node without alarms only the changes of a day are kept, also where it never alarms again', async () => {
  const own = names();
  const changes = (at: number): string => JSON.stringify({ '["overall",""]': [at] });
  const [old, young] = [changes(Date.now() - 25 * HOUR_MS), changes(Date.now() - 23 * HOUR_MS)];
  await redis.hSet(`${own.keyPrefix}:changes`, { [anId(1)]: old, [anId(2)]: young, [anId(3)]: old });
  const lasting = JSON.stringify(afterEvent(alarmsOf(), happened([{ part: 'overall', status: 4 }])));
  await redis.hSet(`${own.keyPrefix}:alarms`, anId(3), lasting);
  start('first', own, async () => undefined, 500);
  const kept = () => redis.hGetAll(`${own.keyPrefix}:changes`);
  await vi.waitFor(async () => expect({ ...(await kept()) }).toEqual({ [anId(2)]: young, [anId(3)]: old }), soon);
});

test('an old end is not sent again after a call that failed', async () => {
  const own = names();
  const at = Date.now() - HOUR_MS;
  const [lasts, ends] = [{ part: 'external', status: 4 } as const, { part: 'overall', status: 4 } as const];
  const active = afterEvent(alarmsOf(), { ...happened([lasts, ends]), at, notifiedUntil: at, now: at });
  const ended = afterEvent(active, { ...happened([lasts]), at, notifiedUntil: at, now: at });
  expect(ended.ended).toHaveLength(1);
  await redis.hSet(`${own.keyPrefix}:alarms`, anId(1), JSON.stringify(ended));
  const sent: Alert[] = [];
  let tries = 0;
  const failingOnce = async (alerts: ReadonlyArray<Alert>): Promise<void> => {
    tries += 1;
    if (tries === 2) throw new Error('503');
    sent.push(...alerts);
  };
  start('first', own, failingOnce, 500);
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(3), soon);
  expect(new Set(sent.map(({ labels }) => labels['part']))).toEqual(new Set(['external']));
});

test.each([
  ['', false],
  [', also where the node published more meanwhile', true],
])('an end is sent however long no Alertmanager took it%s', async (_, publishesMore) => {
  const own = names();
  const setAlarm = alarmOf(own, anId(1));
  const sent: Alert[] = [];
  let isAway = false;
  consume(own);
  start(
    'first',
    own,
    async (alerts) => {
      if (isAway) throw new Error('away');
      sent.push(...alerts);
    },
    500,
  );
  await setAlarm(4, Date.now());
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), soon);
  isAway = true;
  const endedAt = Date.now();
  await setAlarm(2, endedAt);
  const kept = () => redis.hGet(`${own.keyPrefix}:alarms`, anId(1));
  await vi.waitFor(async () => expect(await kept()).toContain('endsAt'), soon);
  vi.useFakeTimers({ toFake: ['Date'], now: endedAt + HOUR_MS });
  onTestFinished(() => void vi.useRealTimers());
  await sleep(1_500);
  if (publishesMore) {
    await setAlarm(3, Date.now());
    await vi.waitFor(async () => expect(await kept()).toContain('"alert"'), soon);
  }
  isAway = false;
  await vi.waitFor(() => expect(sent.map(({ endsAt }) => endsAt)).toContain(new Date(endedAt).toISOString()), soon);
  if (!publishesMore) await vi.waitFor(async () => expect(await kept()).toBeNull(), soon);
});
