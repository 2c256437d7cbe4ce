import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Alert } from '../../../cli/forward/alertmanager/alert';
import { deliver } from '../../../cli/forward/alertmanager/deliver';
import { notifiedUntil } from '../../../cli/forward/alertmanager/due-time';
import { handleEvents } from '../../../cli/forward/alertmanager/handle-event';
import type { Timing } from '../../../cli/forward/alertmanager/timing';
import { consumeEvents } from '../../../stream/consumer';
import { keyPrefixOf } from '../../../stream/consumer/group';
import { createLog } from '../../../process/log';
import { connectRedis } from '../../../stream/connection';
import { createPublisher } from '../../../stream/append';
import { noDelays } from '../../../cli/forward/alertmanager/alarms';
import { publishingNode } from '../../support/forward/publishing-node';
import { expectedAlarms, type PartEvent } from '../../support/forward/expected-alarms';
import { recalculate, recordMeasurement, republish, setExternalAlarm, setThreshold } from '../../support/commands';
import { dataPoint, overall } from '../../support/measurements';
import { anId } from '../../support/scenario';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';

const url = inject('redisUrl');
const redis = sharedRedis();
const soon = { timeout: 60_000, interval: 50 };

const names = () => {
  const [stream, group] = [`told-${randomUUID()}`, 'alerts'];
  return { stream, group, keyPrefix: keyPrefixOf(stream, group) };
};
type Names = ReturnType<typeof names>;

interface Sent {
  readonly at: number;
  readonly alert: Alert;
}

/** Forwards as a process of its own until `end`; what it sends goes to `sent`. */
const forward = (own: Names, timing: Timing, sent: Sent[]): (() => Promise<void>) => {
  const link = connectRedis({ url, log: createLog({ level: 'silent', process: 'told' }), name: 'told' });
  const [consuming, delivering] = [new AbortController(), new AbortController()];
  const ended = Promise.all([
    consumeEvents({
      ...{ redis: { url }, stream: own.stream, group: own.group, claimAfterMs: 1_000 },
      handle: handleEvents(timing.of, (at) => notifiedUntil({ redis: link, keyPrefix: own.keyPrefix }, at)),
      signal: consuming.signal,
    }),
    deliver({
      ...{ ...own, redis: link, timing, resendMs: 300, signal: delivering.signal, catchUp: false },
      about: () => ({ labels: {}, link: '' }),
      send: async (alerts) => void sent.push(...alerts.map((alert) => ({ at: Date.now(), alert }))),
      ...{ report: () => undefined, count: () => undefined },
    }),
  ]);
  const end = async (): Promise<void> => {
    consuming.abort();
    delivering.abort();
    await ended;
    await link.close();
  };
  return end;
};
const forwardUntilFinished = (...args: Parameters<typeof forward>): void => void onTestFinished(forward(...args));

const nodeOf = ({ stream }: Names, nodeId: string) => {
  const node = publishingNode(createPublisher({ client: redis }, eventSettings({ stream })), nodeId);
  let count = 0;
  const measure = (y = 0, at = Date.now()) =>
    node.take(recordMeasurement(dataPoint(y, { measurementId: anId((count += 1)) })), at);
  return { ...node, measure };
};

const timeOf = (instant: string): number => Date.parse(instant);
/** What was sent of a node and an alert, each alarm once, as it was sent last: one that lasts has no end. */
const toldIn = (sent: ReadonlyArray<Sent>, node: string, name: string) => {
  const last = new Map<string, { severity: string | undefined; startsAt: number; endsAt?: number }>();
  for (const { at, alert } of sent) {
    if (alert.labels['node'] !== node || alert.labels['alertname'] !== name) continue;
    const { startsAt, endsAt, labels } = alert;
    const isOver = timeOf(endsAt) <= at;
    last.set(`${labels['severity']} ${startsAt}`, {
      ...{ severity: labels['severity'], startsAt: timeOf(startsAt) },
      ...(isOver && { endsAt: timeOf(endsAt) }),
    });
  }
  return [...last.values()].filter(({ startsAt, endsAt }) => startsAt !== endsAt);
};
const alarmsIn = (sent: ReadonlyArray<Sent>, node: string, name = 'PointAlarm') =>
  toldIn(sent, node, name).map(({ severity: _, ...alarm }) => alarm);

const timing = (holdMs: number, keepMs: number): Timing => {
  const of = { for: holdMs, keepFiringFor: keepMs };
  return { of: () => ({ delays: { danger: of, alert: of } }), isDelayed: true };
};

test('alarms are told and ended at the times of their events, by whichever of the processes that come and go', async () => {
  const own = names();
  const sent: Sent[] = [];
  const by = timing(600, 900);
  const { delays } = by.of('');
  const nodes = Array.from({ length: 12 }, (_, n) => ({
    id: anId(n),
    node: nodeOf(own, anId(n)),
    events: [] as PartEvent[],
  }));
  let end = forward(own, by, sent);
  const from = Date.now();
  const flapping = nodes.map(async ({ node, events }) => {
    while (Date.now() < from + 9_000) {
      const status = ([2, 2, 3, 4, 4] as const)[Math.floor(Math.random() * 5)] ?? 2;
      const at = Date.now();
      await node.take(setExternalAlarm({ status }), at);
      events.push({ at, status });
      await sleep(200 + Math.random() * 1_500);
    }
    const at = Date.now();
    await node.take(setExternalAlarm({ status: 2 }), at);
    events.push({ at, status: 2 });
  });
  for (let restarts = 0; restarts < 4; restarts += 1) {
    await sleep(1_500 + Math.random() * 500);
    await end();
    if (restarts % 2 === 0) await sleep(700);
    end = forward(own, by, sent);
  }
  onTestFinished(() => end());
  await Promise.all(flapping);
  await vi.waitFor(async () => {
    expect(await redis.hLen(`${own.keyPrefix}:changed`)).toBe(0);
    expect(await redis.zCard(`${own.keyPrefix}:due`)).toBe(0);
  }, soon);
  let matching = 0;
  for (const { id, events } of nodes) {
    // The oracle looks at each moment: its clock begins with the test.
    const relative = events.map(({ at, status }) => ({ at: at - from, status }));
    const expected = expectedAlarms(relative, delays, Date.now() - from).map(({ severity, startsAt, endsAt }) => ({
      ...{ severity, startsAt: startsAt + from, endsAt: (endsAt ?? Infinity) + from },
    }));
    const seen = toldIn(sent, id, 'PointAlarm');
    const isSeen = ({ severity, startsAt, endsAt }: (typeof expected)[number]): boolean =>
      seen.some((one) => one.severity === severity && one.startsAt === startsAt && one.endsAt === endsAt);
    // To Alertmanager a severity that comes back goes on, where nobody looked while it was gone.
    const goesOn = ({ severity, startsAt, endsAt }: (typeof expected)[number]): boolean => {
      const next = expected.find((one) => one.severity === severity && one.startsAt > startsAt);
      const later = sent.filter(({ alert }) => alert.labels['node'] === id && timeOf(alert.startsAt) >= endsAt);
      return next !== undefined && !later.some(({ at }) => at < next.startsAt);
    };
    expect(expected.filter((alarm) => !isSeen(alarm) && !goesOn(alarm))).toEqual([]);
    const known = expected.map(({ severity, startsAt }) => `${severity} ${startsAt}`);
    expect(seen.filter(({ severity, startsAt }) => !known.includes(`${severity} ${startsAt}`))).toEqual([]);
    matching += expected.length;
  }
  expect(matching).toBeGreaterThan(0);
});

test('what was due while no process ran, or a process died after it was marked, is told when the next one runs', async () => {
  const own = names();
  const node = nodeOf(own, anId(1));
  const [first, second]: [Sent[], Sent[]] = [[], []];
  const end = forward(own, timing(700, 0), first);
  const at = Date.now();
  await node.take(setExternalAlarm({ status: 4 }), at);
  await vi.waitFor(async () => expect(await redis.zScore(`${own.keyPrefix}:due`, anId(1))).toBe(at + 700), soon);
  await end();
  await sleep(1_000);
  forwardUntilFinished(own, timing(700, 0), second);
  await vi.waitFor(() => expect(alarmsIn(second, anId(1))).toEqual([{ startsAt: at + 700 }]), soon);
  await node.take(setExternalAlarm({ status: 2 }), at + 2_000);
  await vi.waitFor(() => expect(alarmsIn(second, anId(1))).toEqual([{ startsAt: at + 700, endsAt: at + 2_000 }]), soon);
  expect(alarmsIn(first, anId(1))).toEqual([]);
});

test('a group that is behind tells what lasted by its events, and nothing that a later event takes back', async () => {
  const own = names();
  const [short, long] = [nodeOf(own, anId(1)), nodeOf(own, anId(2))];
  const at = Date.now() - 3_600_000;
  for (const [status, offset] of [
    [4, 0],
    [2, 500],
    [4, 1_000],
    [2, 1_500],
  ] as const)
    await short.take(setExternalAlarm({ status }), at + offset);
  await long.take(setExternalAlarm({ status: 4 }), at);
  await long.take(setExternalAlarm({ status: 2 }), at + 900_000);
  const sent: Sent[] = [];
  forwardUntilFinished(own, timing(600_000, 60_000), sent);
  await vi.waitFor(
    () => expect(alarmsIn(sent, anId(2))).toEqual([{ startsAt: at + 600_000, endsAt: at + 960_000 }]),
    soon,
  );
  await sleep(500);
  expect(alarmsIn(sent, anId(1))).toEqual([]);
});

const SILENT_MS = 3_000;
const silence: Timing = {
  of: () => ({ delays: noDelays, silentAfterMs: SILENT_MS }),
  isDelayed: false,
  silentAfter: { shortestMs: SILENT_MS, longestMs: SILENT_MS },
};
const silencesIn = (sent: ReadonlyArray<Sent>, node: string) => alarmsIn(sent, node, 'PointAlarmSilent');
const streamSilences = (sent: ReadonlyArray<Sent>) =>
  sent.filter(({ alert }) => alert.labels['alertname'] === 'PointAlarmStreamSilent');
const lastEntryMs = async ({ stream }: Names): Promise<number> =>
  Number.parseInt((await redis.xRevRange(stream, '+', '-', { COUNT: 1 }))?.[0]?.id ?? '', 10);

/** Measures nodes until `end`, one every 100 ms. */
const measuring = (nodes: ReadonlyArray<ReturnType<typeof nodeOf>>): (() => Promise<void>) => {
  const ending = new AbortController();
  const running = (async () => {
    for (let n = 0; !ending.signal.aborted; n += 1) {
      await nodes[n % nodes.length]?.measure();
      await sleep(100);
    }
  })();
  return () => {
    ending.abort();
    return running;
  };
};

test('a node without a measurement is silent after its time, and until the next one; nothing else is a measurement', async () => {
  const own = names();
  const sent: Sent[] = [];
  const [dead, well, cleared, other] = [1, 2, 3, 4].map((n) => nodeOf(own, anId(n)));
  if (!dead || !well || !cleared || !other) throw new Error('unreachable');
  for (const node of [dead, well, cleared]) await node.take(setThreshold(overall));
  await other.take(setExternalAlarm({ status: 4 }));
  forwardUntilFinished(own, silence, sent);
  await cleared.measure();
  await dead.measure(25);
  const since = await lastEntryMs(own);
  const measured = Number((dead.events.at(-1)?.data as { updatedAt?: number }).updatedAt);
  const end = measuring([well]);
  onTestFinished(end);
  await dead.take(setExternalAlarm({ status: 3 }));
  await dead.take(recalculate());
  await dead.take(republish());
  await cleared.take(setThreshold({ thresholdType: 0 }));
  await vi.waitFor(() => expect(silencesIn(sent, anId(1))).toEqual([{ startsAt: since + SILENT_MS }]), soon);
  const { at, alert } = sent.find((one) => one.alert.labels['alertname'] === 'PointAlarmSilent') ?? {};
  expect(alert).toMatchObject({
    labels: { alertname: 'PointAlarmSilent', node: anId(1) },
    annotations: { since: new Date(measured).toISOString(), status: 'DANGER' },
  });
  expect(at).toBeGreaterThanOrEqual(since + SILENT_MS);
  await dead.measure();
  const endsAt = Number((dead.events.at(-1)?.data as { updatedAt?: number }).updatedAt);
  await vi.waitFor(() => expect(silencesIn(sent, anId(1))).toEqual([{ startsAt: since + SILENT_MS, endsAt }]), soon);
  await sleep(SILENT_MS);
  for (const node of [2, 3, 4]) expect(silencesIn(sent, anId(node))).toEqual([]);
  expect(streamSilences(sent)).toEqual([]);
  await vi.waitFor(() => expect(silencesIn(sent, anId(1))).toHaveLength(2), soon); // again silent
});

test('where nothing comes at all the stream is silent, and no node', async () => {
  const own = names();
  const sent: Sent[] = [];
  const nodes = [1, 2, 3].map((n) => nodeOf(own, anId(n)));
  for (const node of nodes) await node.take(setThreshold(overall));
  forwardUntilFinished(own, silence, sent);
  await measuring(nodes)().catch(() => undefined);
  const first = measuring(nodes);
  await sleep(1_000);
  await first();
  const last = await lastEntryMs(own);
  await sleep(2 * SILENT_MS);
  const [matching] = streamSilences(sent);
  expect(matching?.alert).toMatchObject({
    labels: { stream: own.stream },
    startsAt: new Date(last + SILENT_MS / 3).toISOString(),
  });
  const second = measuring(nodes);
  onTestFinished(second);
  await vi.waitFor(
    () => expect(timeOf(streamSilences(sent).at(-1)?.alert.endsAt ?? '')).toBeLessThan(Date.now()),
    soon,
  );
  await sleep(SILENT_MS);
  for (const node of [1, 2, 3]) expect(silencesIn(sent, anId(node))).toEqual([]);
});

test('a forwarder that was away for longer than a node may be silent finds out who was, by what it missed', async () => {
  const own = names();
  const sent: Sent[] = [];
  const [dead, well, back] = [1, 2, 3].map((n) => nodeOf(own, anId(n)));
  if (!dead || !well || !back) throw new Error('unreachable');
  for (const node of [dead, well, back]) await node.take(setThreshold(overall));
  const end = forward(own, silence, sent);
  await dead.measure();
  const since = await lastEntryMs(own);
  await back.measure();
  await vi.waitFor(async () => expect(await redis.hLen(`${own.keyPrefix}:measured`)).toBe(2), soon);
  await end();
  const stop = measuring([well]);
  onTestFinished(stop);
  await sleep(SILENT_MS - 500);
  await back.measure();
  await sleep(1_500);
  forwardUntilFinished(own, silence, sent);
  await vi.waitFor(() => expect(silencesIn(sent, anId(1))).toEqual([{ startsAt: since + SILENT_MS }]), soon);
  expect(silencesIn(sent, anId(3))).toEqual([]);
  expect(streamSilences(sent)).toEqual([]);
});
