import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { projectRoot } from '../../dev/stack/project-root';
import { createPublisher } from '../../stream/append';
import { startAnsweringServer } from '../support/answering-server';
import { startNodeLoad } from '../support/forward/node-load';
import { startOwnAlertmanager } from '../support/forward/own-alertmanager';
import { startOwnPostgres } from '../support/forward/own-postgres';
import { openGround } from '../support/ground';
import { eventSettings } from '../support/redis/event-settings';
import { redisGround } from '../support/redis/servers';
import { connectBy, watchedPrimary } from '../support/redis/topologies';
import { anId } from '../support/scenario';
import { fiveConsumers, type Targets } from './consumers/consumers';
import { compareEffects } from './consumers/effects';
import { faults, type World } from './consumers/faults';
import { supervise } from './consumers/supervise';
import { randomOf } from './load/random';
import { seed } from './seed';

/** How long faults follow one another: each at least once. */
const MINUTES = Number(process.env['CONSUMER_CHAOS_MINUTES'] ?? 1);
const [NODES, EVERY_MS] = [8, 250];
const STREAM = 'events';
const DOWN_AFTER_MS = 3_000;
/** Alertmanager ends an alert that nobody sends again only after minutes; consumers take over what the dead left. */
const settled = { timeout: 300_000, interval: 1_000 };

/** Brings up what the consumers need, and stops it after the test, the last first. */
const bringUp = async () => {
  const stopAfterwards = <A extends { readonly stop: () => Promise<void> }>(started: A): A => {
    onTestFinished(started.stop);
    return started;
  };
  const servers = stopAfterwards(await redisGround());
  const ground = openGround('consumers', process.env['CHAOS_KEEP'] !== undefined);
  onTestFinished(ground.close);
  const { primary, replicas, sentinels } = await watchedPrimary(servers, 1, DOWN_AFTER_MS);
  const link = await connectBy({ sentinels: { addresses: sentinels, master: 'main' } }, STREAM);
  onTestFinished(() => link.close());
  const orders = await startAnsweringServer((_request, response) => response.writeHead(204).end());
  onTestFinished(orders.close);
  const targets: Targets = {
    ...{ orders, link, stream: STREAM, folder: ground.folder },
    postgres: stopAfterwards(await startOwnPostgres()),
    alertmanager: stopAfterwards(await startOwnAlertmanager('100ms', '500ms')),
  };
  return { ground, link, targets, sentinels, redis: [primary, replicas[0]!] as const };
};

test(
  `five consumers of one stream lose and double no effect in ${MINUTES} minutes of faults, and end only as they should`,
  { timeout: 900_000 + MINUTES * 120_000 },
  async () => {
    const { ground, link, targets, sentinels, redis } = await bringUp();
    const { PATH, HOME } = process.env;
    const shared = {
      ...{ PATH, HOME, EVENT_STREAM: STREAM, REDIS_URL: 'redis://nobody:1', REDIS_SENTINEL_MASTER: 'main' },
      REDIS_SENTINELS: sentinels.map(({ host, port }) => `${host}:${port}`).join(','),
    };
    const consumers = await fiveConsumers(targets);
    const supervised = await Promise.all(
      consumers.map(({ name, plan }) =>
        Promise.all(
          [1, 2].map((number) => {
            const { env, ...program } = plan(number);
            const log = join(ground.folder, `${name}-${number}.log`);
            return supervise({ ...program, name: `${name} ${number}`, log, env: { ...shared, ...env } }, ground);
          }),
        ),
      ),
    );
    onTestFinished(async () => void (await Promise.all(supervised.flat().map((one) => one.stop()))));
    const publisher = createPublisher(link, eventSettings({ stream: STREAM, replicasRequired: 1 }));
    const load = startNodeLoad(NODES, EVERY_MS, publisher);
    const random = randomOf(seed);
    const world: World = { ...targets, random, consumers: supervised, redis, sentinels, nodeId: anId(0) };
    // Each consumer is at work before the first fault.
    for (const { name, found } of consumers)
      await vi.waitFor(async () => expect(await found(), name).not.toEqual([]), settled);

    const done: string[] = [];
    const end = performance.now() + MINUTES * 60_000;
    while (done.length === 0 || performance.now() < end)
      for (const [name, fault] of random.shuffled(Object.entries(faults))) {
        await fault(world);
        done.push(name);
        await sleep(2_000 + random.below(2_000));
        if (done.length >= Object.keys(faults).length && performance.now() > end) break;
      }

    const events = await load.stop();
    const rows = await Promise.all(
      consumers.map(async ({ name, expected, found, mayEndWith, stopsWith }, at) => {
        const wanted = expected(events);
        const compared = async () => compareEffects(wanted, await found());
        const exact = { lost: [], doubled: [], isInOrder: true };
        await vi.waitFor(async () => expect(await compared()).toEqual(exact), settled).catch(() => undefined);
        await sleep(3_000); // what comes late must not come twice
        const { lost, doubled, isInOrder } = await vi.waitFor(compared, settled); // where a target answers late
        const ends = (supervised[at] ?? []).flatMap((one) => one.ends());
        const wrong = ends.filter((how) => !mayEndWith.includes(how));
        const stopped = await Promise.all((supervised[at] ?? []).map((one) => one.stop()));
        const isStopped = stopped.every((how) => how === stopsWith) || stopped;
        return { name, effects: wanted.length, lost, doubled, isInOrder, ends: ends.length, wrong, isStopped };
      }),
    );
    const line = { at: new Date().toISOString(), seed, faults: done.length, events: load.published(), rows };
    mkdirSync(join(projectRoot, 'reports'), { recursive: true });
    appendFileSync(join(projectRoot, 'reports/consumers.jsonl'), `${JSON.stringify(line)}\n`);
    console.log(`${done.length} faults, ${load.published()} events, seed ${seed}:`);
    console.table(rows.map((row) => ({ ...row, lost: row.lost.length, doubled: row.doubled.length })));
    for (const row of rows)
      expect(row).toMatchObject({ lost: [], doubled: [], isInOrder: true, wrong: [], isStopped: true });
  },
);
