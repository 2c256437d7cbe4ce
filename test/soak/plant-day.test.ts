import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPublisher } from '../../stream/append';
import { alarmsOf, byPartOf, floodsOf, tenMinutesOf, type Alarm, type Change } from '../support/forward/alarm-oracle';
import { journalRows, readJournal } from '../support/forward/journal-rows';
import { startOwnAlertmanager } from '../support/forward/own-alertmanager';
import { startOwnPostgres } from '../support/forward/own-postgres';
import { publishingNode } from '../support/forward/publishing-node';
import { runPas } from '../support/forward/run-pas';
import { expectedAlarms, type PartEvent } from '../support/forward/expected-alarms';
import { recordMeasurement, setThreshold } from '../support/commands';
import { dataPoint, overall } from '../support/measurements';
import { eventSettings } from '../support/redis/event-settings';
import { redisGround } from '../support/redis/servers';
import type { RunningProcess } from '../support/run-node';
import { anId } from '../support/scenario';

/*
 * A day of a plant at 60 times its speed, through the real `pas forward`, Redis, Alertmanager and PostgreSQL: a minute of the
 * plant is a second. In the second half the forwarders are killed each minute as well. `PLANT_HOURS=8` plays less, with
 * shorter outages.
 */
const HOURS = Number(process.env['PLANT_HOURS'] ?? 24);
const MINUTE = 1_000;
const DAY = HOURS * 60 * MINUTE;
/** Longer than the time after which the forwarder waits for what was under way meanwhile. */
const OUTAGE = Math.max(DAY / 24, 25_000);
/** At the end all is well for so long that each alarm ends. */
const CALM = 40 * MINUTE;

const NODES = 500;
const [FIRST_OF_START_UPS, STARTS_UP_TOGETHER] = [100, 20];
const DELAYS = { for: 5 * MINUTE, keepFiringFor: 10 * MINUTE };
const SILENT = 30 * MINUTE;
const RESEND = 10_000;
const OPTIONS = `--for 5s --keep-firing-for 10s --silent-after 30s --resend ${RESEND / 1_000}s --claim-after 1s`.split(
  ' ',
);

const [GOOD, ALERT, DANGER] = [2, 3, 4] as const;
type Level = typeof GOOD | typeof ALERT | typeof DANGER;
const VALUES: Readonly<Record<Level, number>> = { [GOOD]: 0, [ALERT]: 10, [DANGER]: 25 };

/** From when to when a node is not good, and how bad it is; ms of the day. */
type Spell = readonly [from: number, to: number, level: Level];

interface Point {
  readonly id: string;
  readonly spells: ReadonlyArray<Spell>;
  /** From when to when its sensor is dead. */
  readonly dead?: readonly [from: number, to: number];
  /** When it is measured besides each ten minutes. */
  readonly also: ReadonlyArray<number>;
}

const anywhere = (from: number, to: number): number => from + Math.random() * (to - from);

/** Alternating spells of a random length, each measured as it begins. */
const flapping = (from: number, to: number): ReadonlyArray<Spell> => {
  const spells: Spell[] = [];
  for (let at = from; at < to;) {
    const end = at + anywhere(0.5, 20) * MINUTE;
    spells.push([at, Math.min(end, to), Math.random() < 0.5 ? ALERT : DANGER]);
    at = end + anywhere(0.5, 20) * MINUTE;
  }
  return spells;
};

const points: ReadonlyArray<Point> = Array.from({ length: NODES }, (_, n) => {
  const id = anId(n);
  const deaths = [0.1, 0.3, 0.5];
  const death = deaths[n];
  if (death !== undefined) return { id, spells: [], also: [], dead: [death * DAY, n === 0 ? 0.65 * DAY : Infinity] };
  if (n < 13) {
    const spells = flapping(0.05 * DAY, DAY - CALM - 20 * MINUTE);
    return { id, spells, also: spells.flatMap(([from, to]) => [from, to]) };
  }
  if (n < 43) {
    const [from, to] = [anywhere(0.02, 0.6) * DAY, anywhere(0.62, 0.9) * DAY];
    const worse = anywhere(from, to);
    return { id, spells: [[from, worse, ALERT] as const, [worse, to, DANGER] as const], also: [] };
  }
  const group = Math.floor((n - FIRST_OF_START_UPS) / STARTS_UP_TOGETHER);
  if (group >= 0 && group < 10) {
    const at = (0.05 + 0.08 * group) * DAY;
    const spell = [at, at + 2 * MINUTE, DANGER] as const;
    return { id, spells: [spell], also: [at, at + 2 * MINUTE] };
  }
  return { id, spells: [], also: [] };
});

const levelAt = ({ spells }: Point, at: number): Level =>
  at >= DAY - CALM ? GOOD : (spells.find(([from, to]) => at >= from && at < to)?.[2] ?? GOOD);

/** So long (ms) after it is due an alarm or its end is told; what begins meanwhile may delay it. */
const TOLD_WITHIN = 2_000;

/** An alarm that comes back after so long (ms) may go on for Alertmanager: it tells the alerts of a node each 200 ms. */
const GONE_UNSEEN_MS = 1_000;

interface NodeAlarm {
  readonly id: string;
  readonly severity: string;
  readonly from: number;
  readonly to: number;
}
/** Whether both are the same alert to Alertmanager, at whatever time. */
const isLike =
  (one: NodeAlarm) =>
  ({ id, severity }: NodeAlarm): boolean =>
    id === one.id && severity === one.severity;
const keyOf = ({ id, severity, from }: NodeAlarm): string => `${id} ${severity} ${from}`;

/** What people are to be told of a node, by the oracle: it looks at each ms, so it gets one spell after the other. */
const expectedOf = (id: string, events: ReadonlyArray<PartEvent>): ReadonlyArray<NodeAlarm> => {
  const quiet = DELAYS.for + DELAYS.keepFiringFor + 2 * MINUTE;
  const bad = events.filter(({ status }) => status >= ALERT).map(({ at }) => at);
  const begins = bad.filter((at, index) => index === 0 || at - (bad[index - 1] ?? 0) > quiet + 15 * MINUTE);
  const delays = { danger: DELAYS, alert: DELAYS };
  return begins.flatMap((begin, index) => {
    const until = begins[index + 1] ?? Infinity;
    const own = events.filter(({ at }) => at >= begin && at < until);
    const last = own.findLast(({ status }) => status >= ALERT)?.at ?? begin;
    const next = own.find(({ at }) => at > last)?.at ?? last;
    const relative = own.filter(({ at }) => at <= next).map(({ at, status }) => ({ at: at - begin, status }));
    return expectedAlarms(relative, delays, next - begin + quiet).map(({ severity, startsAt, endsAt = Infinity }) => ({
      ...{ id, severity, from: startsAt + begin, to: endsAt + begin },
    }));
  });
};

test(
  'people are told of a plant as an oracle says, whatever is away, and the journal answers as one',
  async () => {
    const ground = await redisGround();
    onTestFinished(() => ground.stop());
    const server = await ground.server('--appendonly', 'yes', '--appendfsync', 'always');
    const [alertmanager, postgres] = await Promise.all([startOwnAlertmanager('50ms', '200ms'), startOwnPostgres()]);
    onTestFinished(() => Promise.all([alertmanager.stop(), postgres.stop()]).then(() => undefined));
    const redis = createClient({ url: server.url });
    redis.on('error', () => undefined);
    await redis.connect();
    onTestFinished(() => redis.destroy());
    const stream = `plant-${randomUUID()}`;
    const env = { REDIS_URL: server.url, EVENT_STREAM: stream };
    const appending = createPublisher({ client: redis }, eventSettings({ stream }));
    const publisher: typeof appending = {
      append: async (batch) => {
        while (!redis.isReady) await sleep(500); // 500 nodes that try all the time would leave no time to hear of alerts
        return appending.append(batch);
      },
    };

    /** Starts forwarders as a supervisor does: one that ended is started again. */
    const plans = [
      ['forward', 'alertmanager', '--url', alertmanager.url, ...OPTIONS],
      ['forward', 'postgres', '--url', postgres.url, '--claim-after', '1s'],
    ];
    let forwarders: RunningProcess[] = [];
    const state = { isAway: false };
    const supervise = (): void => {
      if (state.isAway) return;
      forwarders = plans.map((plan, at) => {
        const known = forwarders[at];
        return known?.isRunning() === true ? known : runPas(plan, env);
      });
    };
    const supervision = setInterval(supervise, 500);
    const stopForwarders = async (): Promise<void> => {
      await Promise.all(forwarders.map((one) => one.stop()));
    };
    onTestFinished(async () => {
      clearInterval(supervision);
      state.isAway = true;
      await stopForwarders();
    });
    supervise();
    await vi.waitFor(() => expect(forwarders.map((one) => one.said()).join()).toMatch(/forwarding.*forwarding/su), {
      timeout: 60_000,
    });

    const began = Date.now();
    /** Times (epoch ms) while nobody could be told. */
    const blind: Array<{ readonly what: string; readonly from: number; readonly to: number }> = [];
    const LEADS_AFTER = 13_000;
    const WAITS = 15_000;
    const away = async (what: string, at: number, end: () => Promise<void>, back: () => Promise<void>) => {
      await sleep(began + at * DAY - Date.now());
      const from = Date.now();
      await end();
      await sleep(OUTAGE);
      await back();
      blind.push({ what, from, to: Date.now() + LEADS_AFTER + WAITS });
      console.info(`${what} was away for ${Math.round((Date.now() - from) / 1_000)} s`);
    };
    let kills = 0;
    const killing = (async () => {
      await sleep(DAY / 2);
      while (Date.now() < began + DAY - CALM - MINUTE * 60) {
        await sleep(60_000);
        if (state.isAway) continue;
        const from = Date.now();
        await stopForwarders();
        blind.push({ what: 'a kill', from, to: from + LEADS_AFTER });
        kills += 1;
      }
    })();
    const outages = [
      away(
        'Redis',
        0.15,
        () => server.kill(),
        () => server.restart(),
      ),
      away(
        'the forwarders',
        0.35,
        async () => {
          state.isAway = true;
          await stopForwarders();
        },
        async () => {
          state.isAway = false;
        },
      ),
      away(
        'Alertmanager',
        0.55,
        () => alertmanager.kill(),
        () => alertmanager.restart(),
      ),
      away(
        'PostgreSQL',
        0.75,
        () => postgres.kill(),
        () => postgres.restart(),
      ),
    ];

    const played = points.map(async (point) => {
      const { take, events } = publishingNode(publisher, point.id);
      const marks: PartEvent[] = [];
      let publishing = take(setThreshold(overall));
      const times = [...point.also];
      for (let at = anywhere(0, 10 * MINUTE); at < DAY; at += 10 * MINUTE) times.push(at);
      for (const time of times.sort((one, other) => one - other)) {
        if (point.dead !== undefined && time >= point.dead[0] && time < point.dead[1]) continue;
        await sleep(Math.max(0, began + time - Date.now()));
        const at = Date.now();
        const status = levelAt(point, time);
        marks.push({ at, status });
        const measured = recordMeasurement(dataPoint(VALUES[status], { measurementId: randomUUID() }));
        publishing = publishing.then(() => take(measured, at));
      }
      await publishing;
      return { point, events, marks };
    });
    const [nodes] = await Promise.all([Promise.all(played), Promise.all(outages), killing]);

    // Before the sensors, of which none is measured any more, count as silent.
    const keyPrefix = `${stream}:point-alarm-alerts`;
    await vi.waitFor(
      async () =>
        expect([await redis.hLen(`${keyPrefix}:changed`), await redis.zCard(`${keyPrefix}:due`)]).toEqual([0, 0]),
      {
        timeout: 20_000,
      },
    );
    await sleep(2_000);
    const notifications = alertmanager.notifications.map(({ at, alerts }) => ({
      at: performance.timeOrigin + at,
      alerts,
    }));
    const of = (name: string) =>
      notifications.flatMap(({ at, alerts }) =>
        alerts
          .filter(({ labels }) => labels['alertname'] === name)
          .map(({ status, labels, startsAt, endsAt }) => ({
            ...{ at, status, id: labels['node'] ?? '', severity: labels['severity'] ?? '' },
            ...{ from: Date.parse(startsAt), to: Date.parse(endsAt) },
          })),
      );

    const expected = nodes.flatMap(({ point, marks }) => expectedOf(point.id, marks));
    const known = new Set(expected.map(keyOf));
    const wasBlind = (from: number, to: number): boolean =>
      blind.some((one) => from >= one.from - 1_000 && to <= one.to + 2_000);
    const received = of('PointAlarm');
    const firing = new Map(
      received
        .filter(({ status }) => status === 'firing')
        .map((one) => [keyOf(one), one] as const)
        .reverse(),
    );
    const ends = [
      ...new Map(received.filter(({ status }) => status === 'resolved').map((one) => [keyOf(one), one])).values(),
    ];
    const isBlind = ({ from, to }: { readonly from: number; readonly to: number }): boolean =>
      blind.some((one) => from < one.to && to > one.from - TOLD_WITHIN);
    // What is told is an alarm, with the times of its events.
    expect(received.filter((one) => !known.has(keyOf(one)))).toEqual([]);
    const endsOf = (one: NodeAlarm): ReadonlyArray<number> =>
      expected
        .filter(isLike(one))
        .filter(({ from }) => from >= one.from)
        .map(({ to }) => to);
    expect(ends.filter((one) => !endsOf(one).includes(one.to))).toEqual([]);
    // Each is told, unless nobody could be told of all of it, or it came back before anybody could be told that it was gone.
    const missed = expected.filter((one) => !firing.has(keyOf(one)));
    const untold = missed
      .map((one) => ({
        ...one,
        before: expected.filter(isLike(one)).findLast(({ from }) => from < one.from),
      }))
      .filter(({ from, to, before: last }) => {
        const cameBack = last !== undefined && (from - last.to < GONE_UNSEEN_MS || wasBlind(last.to, from));
        return !cameBack && !wasBlind(from, to);
      });
    expect(untold).toEqual([]);
    // Nothing is told twice by itself: each notification has something new, but where Alertmanager forgot what it had told. If it
    // told a new alarm just between an old end of the node and the alarm, it tells the old end beside the alarm at the next resend.
    const firstTold = new Map<string, number>();
    const again = notifications.filter(({ at, alerts }) => {
      const hasEnd = alerts.some(({ status }) => status === 'resolved');
      const isNew = alerts
        .map(({ status, labels, startsAt, endsAt }) => {
          const content = JSON.stringify([status, labels, startsAt, status === 'resolved' && endsAt]);
          const first = firstTold.get(content) ?? at;
          firstTold.set(content, first);
          return at - first < (hasEnd && status === 'firing' ? RESEND + TOLD_WITHIN : GONE_UNSEEN_MS);
        })
        .includes(true);
      return !isNew && !blind.some(({ what, from, to }) => what === 'Alertmanager' && at >= from && at < to + OUTAGE);
    });
    expect(again).toEqual([]);
    // Each that was told has ended, or goes on as the next of its labels.
    const resolved = new Set(ends.map((end) => `${keyOf(end)} ${end.to}`));
    const goesOn = (one: NodeAlarm): boolean => expected.filter(isLike(one)).some(({ from }) => from > one.from);
    const endless = expected.filter(
      (one) => firing.has(keyOf(one)) && !resolved.has(`${keyOf(one)} ${one.to}`) && !(goesOn(one) && isBlind(one)),
    );
    expect(endless).toEqual([]);
    // And within a tick, where all is there.
    const seen = expected.filter((one) => firing.has(keyOf(one)) && !isBlind(one));
    const late = seen
      .map((one) => (firing.get(keyOf(one))?.at ?? Infinity) - one.from)
      .sort((one, other) => one - other);
    // Alertmanager tells an end again beside each other alert of the node: the first time counts.
    const receivedAt = new Map(received.map((one) => [`${keyOf(one)} ${one.to}`, one.at] as const).reverse());
    const lateEnds = ends
      .filter((one) => !isBlind(one))
      .map((one) => (receivedAt.get(`${keyOf(one)} ${one.to}`) ?? Infinity) - one.to)
      .sort((one, other) => one - other);
    const median = (times: ReadonlyArray<number>): number => Math.round(times[Math.floor(times.length / 2)] ?? NaN);
    console.info(
      `${kills} kills; ${expected.length} alarms, ${missed.length} over before anybody could be told; ` +
        `told after ${median(late)} ms (median of ${late.length}), at most ${Math.round(late.at(-1) ?? NaN)} ms; ` +
        `ended after ${median(lateEnds)} ms (median of ${lateEnds.length}), at most ${Math.round(lateEnds.at(-1) ?? NaN)} ms`,
    );
    expect(seen.length).toBeGreaterThan(HOURS);
    expect(Math.max(...late, ...lateEnds)).toBeLessThan(10_000);

    // Silent are the dead sensors alone.
    const silent = of('PointAlarmSilent');
    expect([...new Set(silent.map(({ id }) => id))].sort()).toEqual(
      points.flatMap(({ id, dead }) => (dead ? [id] : [])).sort(),
    );
    const outage = blind.filter(({ what }) => what !== 'a kill').reduce((sum, { from, to }) => sum + to - from, 0);
    for (const { point, marks } of nodes.filter(({ point: { dead } }) => dead !== undefined)) {
      const [from, to = Infinity] = point.dead ?? [];
      const measuredAt = marks.map(({ at }) => at);
      const last = measuredAt.findLast((at) => at < began + (from ?? 0) + MINUTE) ?? NaN;
      const back = measuredAt.find((at) => at >= began + to) ?? Infinity;
      const own = silent.filter(({ id }) => id === point.id);
      expect(new Set(own.map((one) => one.from)).size).toBe(1);
      expect(own[0]?.from).toBeGreaterThanOrEqual(last + SILENT);
      expect(own[0]?.from).toBeLessThan(last + SILENT + outage + 5_000);
      const over = own.filter(({ status }) => status === 'resolved').map((one) => one.to);
      expect(over).toHaveLength(back === Infinity ? 0 : 1);
      for (const end of over) expect(Math.abs(end - back)).toBeLessThan(5_000);
    }
    console.info(
      `the stream was silent: ${
        of('PointAlarmStreamSilent')
          .map(({ status, from }) => `${status} since ${Math.round((from - began) / 1_000)} s`)
          .join(', ') || 'never'
      }`,
    );

    const changes = journalRows(new Map(nodes.map(({ point, events }) => [point.id, events])));
    await vi.waitFor(async () => expect((await readJournal(postgres)).length).toBeGreaterThanOrEqual(changes.length), {
      timeout: 120_000,
      interval: 1_000,
    });
    expect(await readJournal(postgres)).toEqual(changes);
    const alarms = alarmsOf(
      changes
        .map(({ node, part, sequence_id, from_status, to_status, at }): Change => {
          return { node, part, label: null, sequence_id, from_status, to_status, at: Number(at) };
        })
        .sort((one, other) => (one.sequence_id < other.sequence_id ? -1 : 1)),
    );
    const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float AS ${column}`;
    const byKey = (one: Alarm, other: Alarm): number => one.began - other.began || (one.node < other.node ? -1 : 1);
    const stored = await postgres.ask<Alarm>(
      `SELECT node, part, label, ${ms('began')}, ${ms('ended')}, chatters FROM point_alarm.alarm`,
    );
    expect([...stored].sort(byKey)).toEqual([...alarms].sort(byKey));
    const [since, until] = [began, began + DAY];
    const range = [new Date(since), new Date(until)];
    const tenMinutes = tenMinutesOf(alarms, since, until);
    expect(
      await postgres.ask(`SELECT ${ms('at')}, alarms::int FROM point_alarm.alarms_by_ten_minutes($1, $2)`, range),
    ).toEqual(tenMinutes);
    expect(
      await postgres.ask(
        `SELECT ${ms('began')}, ${ms('ended')}, alarms::int FROM point_alarm.floods($1, $2) AS flood ORDER BY flood.began`,
        range,
      ),
    ).toEqual(floodsOf(tenMinutes, until));
    const byPart = await postgres.ask<{ readonly node: string }>(
      `SELECT node, part, label, alarms::int, chattering::int, fleeting::int FROM point_alarm.alarms_by_part($1, $2)`,
      range,
    );
    const byNode = (one: { readonly node: string | null }, other: { readonly node: string | null }): number =>
      String(one.node) < String(other.node) ? -1 : 1;
    expect([...byPart].sort(byNode)).toEqual([...byPartOf(alarms, since, until)].sort(byNode));
    console.info(`${changes.length} changes of status, ${alarms.length} alarms in the journal`);
  },
  DAY + 900_000,
);
