import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Place } from '../../../process/settings';
import { createPublisher } from '../../../stream/append';
import type { RedisLink } from '../../../stream/connection';
import { journalRows, readJournal } from '../../support/forward/journal-rows';
import { startNodeLoad } from '../../support/forward/node-load';
import { startOwnPostgres, type OwnPostgres } from '../../support/forward/own-postgres';
import { runPas } from '../../support/forward/run-pas';
import { eventSettings } from '../../support/redis/event-settings';
import { redisGround, type RedisGround } from '../../support/redis/servers';
import { bySentinels, inCluster, type Way } from '../../support/redis/topologies';
import type { RunningProcess } from '../../support/run-node';

/** The hash tag keeps all that belongs to the stream on one server of a cluster. */
const events = eventSettings({ stream: '{events}', replicasRequired: 1 });
const soon = { timeout: 60_000, interval: 100 };

let ground: RedisGround;
let postgres: OwnPostgres;
let link: RedisLink | undefined;
let running: ReadonlyArray<RunningProcess>;
beforeEach(async () => {
  [ground, postgres] = await Promise.all([redisGround(), startOwnPostgres()]);
  [link, running] = [undefined, []];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await link?.close();
  await Promise.all([ground.stop(), postgres.stop()]);
});

const placesOf = (places: ReadonlyArray<Place>): string => places.map(({ host, port }) => `${host}:${port}`).join(',');

/** The settings by which processes find the stream. */
const environmentOf = ({ sentinels, clusterNodes }: Way): Readonly<Record<string, string>> => ({
  EVENT_STREAM: events.stream,
  ...(sentinels !== undefined && {
    REDIS_SENTINELS: placesOf(sentinels.addresses),
    REDIS_SENTINEL_MASTER: sentinels.master,
  }),
  ...(clusterNodes !== undefined && { REDIS_CLUSTER_NODES: placesOf(clusterNodes) }),
});

test.each([
  ['by Sentinels', bySentinels],
  ['in a Redis Cluster', inCluster],
])(
  'pas forward postgres, with the primary killed under load %s: the journal equals the stream',
  async (_way, bringUp) => {
    const { way, primary, heir, bringBack, ...pair } = await bringUp(ground, events.stream);
    link = pair.link;
    const env = environmentOf(way);
    const args = ['forward', 'postgres', '--url', postgres.url, '--claim-after', '5s'];
    running = [runPas(args, env), runPas(args, env)];
    const ended = vi.fn();
    for (const { exited } of running) void exited.then(ended);
    const load = startNodeLoad(12, 100, createPublisher(link, events));
    const rows = async (): Promise<number> => {
      const [{ count } = { count: '0' }] = await postgres.ask<{ count: string }>(
        'SELECT count(*) FROM point_alarm.status_change',
      );
      return Number(count);
    };
    const moreThan = (count: number): Promise<void> =>
      vi.waitFor(async () => expect(await rows()).toBeGreaterThan(count), soon);
    await moreThan(100);
    await primary.kill();
    await vi.waitFor(async () => expect(String(await heir.ask('ROLE'))).toContain('master'), soon);
    await bringBack();
    await moreThan((await rows()) + 200);
    const expected = journalRows(await load.stop());
    await moreThan(expected.length - 1);
    expect(await readJournal(postgres)).toEqual(expected);
    expect(await link.client.exists(`${events.stream}:point-alarm-journal:aside`)).toBe(0);
    expect(ended).not.toHaveBeenCalled();
    console.log(`${load.published()} events, ${expected.length} changes`);
  },
);
