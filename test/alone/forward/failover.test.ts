import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { journalRows, readJournal } from '../../support/forward/journal-rows';
import { startNodeLoad } from '../../support/forward/node-load';
import { startOwnPostgres, type OwnPostgres } from '../../support/forward/own-postgres';
import { runPas } from '../../support/forward/run-pas';
import { bringUpCluster } from '../../support/redis/cluster';
import { eventSettings } from '../../support/redis/event-settings';
import { findStream, type FoundStream } from '../../support/redis/found-stream';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';
import { watchedPrimary } from '../../support/redis/watched-primary';
import type { RunningProcess } from '../../support/run-node';

const soon = { timeout: 60_000, interval: 100 };

let ground: RedisGround;
let postgres: OwnPostgres;
let found: FoundStream | undefined;
let running: ReadonlyArray<RunningProcess>;
beforeEach(async () => {
  [ground, postgres] = await Promise.all([redisGround(), startOwnPostgres()]);
  [found, running] = [undefined, []];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await found?.link.close();
  await Promise.all([ground.stop(), postgres.stop()]);
});

/** A primary, the replica that takes its place, and how the primary comes back as a replica: publishing waits for one. */
interface Pair {
  readonly primary: RedisProcess;
  readonly heir: RedisProcess;
  readonly back: ReadonlyArray<string>;
}

const bySentinels = async (): Promise<readonly [FoundStream, Pair]> => {
  const { primary, replicas, sentinels } = await watchedPrimary(ground, 1, [], 2_000);
  const heir = replicas[0]!;
  const way = { sentinels: { addresses: sentinels, master: 'main' } };
  const stream = await findStream(way, eventSettings({ replicasRequired: 1 }));
  return [stream, { primary, heir, back: ['--replicaof', heir.host, String(heir.port)] }];
};

const inCluster = async (): Promise<readonly [FoundStream, Pair]> => {
  const { primaries, replicas } = await bringUpCluster(ground, 3, 1);
  const way = { clusterNodes: [...primaries, ...replicas] };
  const stream = await findStream(way, eventSettings({ stream: '{events}', replicasRequired: 1 }));
  const { port } = await stream.link.client.configGet('port');
  const at = primaries.findIndex((one) => String(one.port) === port);
  return [stream, { primary: primaries[at]!, heir: replicas[at]!, back: [] }];
};

test.each([
  ['by Sentinels', bySentinels],
  ['in a Redis Cluster', inCluster],
])(
  'pas forward postgres, with the primary killed under load %s: the journal equals the stream',
  async (_way, begin) => {
    const [stream, { primary, heir, back }] = await begin();
    found = stream;
    const args = ['forward', 'postgres', '--url', postgres.url, '--claim-after', '5s'];
    running = [runPas(args, stream.env), runPas(args, stream.env)];
    const ended = vi.fn();
    for (const { exited } of running) void exited.then(ended);
    const load = startNodeLoad(12, 100, createPublisher(stream.link, stream.events));
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
    await primary.restart(...back);
    await moreThan((await rows()) + 200);
    const expected = journalRows(await load.stop());
    await moreThan(expected.length - 1);
    expect(await readJournal(postgres)).toEqual(expected);
    expect(await stream.link.client.exists(`${stream.events.stream}:point-alarm-journal:aside`)).toBe(0);
    expect(ended).not.toHaveBeenCalled();
    console.log(`${load.published()} events, ${expected.length} changes`);
  },
);
