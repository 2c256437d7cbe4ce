import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, vi } from 'vitest';
import type { RedisProcess } from '../../support/redis/servers';
import type { Random } from '../load/random';
import type { Targets } from './consumers';
import type { Supervised } from './supervise';

/** What can be hurt. */
export interface World extends Pick<Targets, 'alertmanager' | 'postgres'> {
  readonly random: Random;
  /** The two processes of each consumer. */
  readonly consumers: ReadonlyArray<ReadonlyArray<Supervised>>;
  readonly redis: readonly [RedisProcess, RedisProcess];
  readonly sentinels: ReadonlyArray<RedisProcess>;
  /** A node of the load. */
  readonly nodeId: string;
}

type Fault = (world: World) => Promise<void>;

const soon = { timeout: 90_000, interval: 50 };
/** Longer than events stay with a silent consumer. */
const FROZEN_MS = 8_000;
const AWAY_MS = 2_000;

/** One process of each consumer. */
const oneOfEach = ({ consumers, random }: World): ReadonlyArray<Supervised> =>
  consumers.map((processes) => random.pick(processes));

/** Stops a server, or makes it hang, for a time. */
const killed =
  (of: (world: World) => Targets['postgres'] | Targets['alertmanager']): Fault =>
  async (world) => {
    await of(world).kill();
    await sleep(AWAY_MS);
    await of(world).restart();
  };
const frozen =
  (of: (world: World) => Targets['postgres'] | Targets['alertmanager']): Fault =>
  async (world) => {
    of(world).freeze();
    await sleep(FROZEN_MS);
    of(world).thaw();
  };

/** Has the replica elected; where the primary is back, it is the replica. */
const failover =
  (
    hurt: (primary: RedisProcess) => Promise<void>,
    mend: (primary: RedisProcess, heir: RedisProcess) => unknown,
  ): Fault =>
  async ({ redis, sentinels }) => {
    const elected = async (): Promise<number> =>
      Number(((await sentinels[0]?.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as [string, string])[1]);
    const [primary, heir] = redis[0].port === (await elected()) ? redis : ([redis[1], redis[0]] as const);
    await hurt(primary);
    await vi.waitFor(async () => expect(await elected()).toBe(heir.port), soon);
    await mend(primary, heir);
    // Another failover before it has caught up would be a second fault at once.
    await vi.waitFor(async () => expect(await heir.ask('WAIT', '1', '500')).toBe(1), soon);
  };

export const faults: Readonly<Record<string, Fault>> = {
  'kill -9 of one process of each consumer, three times': async (world) => {
    for (let kills = 0; kills < 3; kills += 1) {
      oneOfEach(world).forEach(({ kill }) => kill());
      await sleep(2_000 + world.random.below(2_000));
    }
  },
  'a freeze of one process of each consumer': async (world) => {
    const victims = oneOfEach(world);
    victims.forEach(({ freeze }) => freeze());
    await sleep(FROZEN_MS);
    victims.forEach(({ thaw }) => thaw());
  },
  'rows of a node that somebody else locks in PostgreSQL': async ({ postgres: { url }, nodeId }) => {
    const other = new Client({ connectionString: url });
    await other.connect();
    const lock = (table: string): string => `SELECT FROM ${table} WHERE node = '${nodeId}' FOR UPDATE`;
    await other.query(`BEGIN; ${lock('point_alarm.place')}; ${lock('public.place')}`);
    await sleep(FROZEN_MS);
    await other.end();
  },
  'the end of all connections to PostgreSQL': async ({ postgres }) => {
    for (let times = 0; times < 20; times += 1) {
      await postgres.ask(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
      await sleep(200);
    }
  },
  'kill -9 of PostgreSQL': killed(({ postgres }) => postgres),
  'a freeze of PostgreSQL': frozen(({ postgres }) => postgres),
  'kill -9 of Alertmanager': killed(({ alertmanager }) => alertmanager),
  'a freeze of Alertmanager': frozen(({ alertmanager }) => alertmanager),
  'a failover of Redis by kill -9': failover(
    (primary) => primary.kill(),
    (primary, heir) => primary.restart('--replicaof', heir.host, String(heir.port)),
  ),
  'a failover of Redis by a freeze': failover(
    async (primary) => primary.freeze(),
    async (primary) => {
      await sleep(AWAY_MS);
      primary.thaw();
    },
  ),
};
