import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_CONNECTIONS, POSTGRES_PASSWORD, POSTGRES_PORT, POSTGRES_USER } from './hosts/postgres';
import { DATABASES } from './hosts/temporal-schema';
import { isShort } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import { expectNothingLost, runOnCluster, type Fault } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Longer than the deadline of a call. */
const HURT_MS = 12_000;

const startDatabase = ({ cluster, database }: ClusterStack): Promise<unknown> =>
  database.host.processes().length === 0 ? cluster.postgres.own.restart() : Promise.resolve();

const killed: Fault = async ({ stack: of }) => {
  await of.database.kill();
  await sleep(2_000);
  await startDatabase(of);
  return performance.now();
};

const frozen: Fault = async ({ stack: { database } }) => {
  database.freeze();
  await sleep(HURT_MS);
  database.thaw();
  return performance.now();
};

/** Takes every connection that PostgreSQL has left. */
const crowded: Fault = async ({ stack: { cluster, apis } }) => {
  const { host } = apis[0].machine;
  const url = `postgresql://${POSTGRES_USER}:${POSTGRES_PASSWORD}@${cluster.postgres.host.address}:${POSTGRES_PORT}/${DATABASES.temporal}`;
  const psql = `psql ${url} -qAt -c 'select pg_sleep(${HURT_MS / 1_000})'`;
  const outcome = await host.run(
    'sh',
    '-c',
    `for i in $(seq ${MAX_CONNECTIONS}); do (${psql} 2>&1 >/dev/null | grep -c 'too many\\|remaining connection slots' || :) & done; wait`,
  );
  expect(outcome.split('\n').filter((line) => line === '1').length).toBeGreaterThan(0);
  return performance.now();
};

/** Fills the disk, and frees it again. PostgreSQL ends itself where it cannot write its log. */
const full: Fault = async ({ stack: of }) => {
  const { host } = of.database;
  const filling = join(of.cluster.postgres.disk, 'filling');
  await host.run(
    'sh',
    '-c',
    `head -c 1T /dev/zero > ${filling} 2>/dev/null; test "$(df --output=avail ${filling} | tail -1)" -lt 64`,
  );
  await sleep(HURT_MS);
  await host.run('rm', filling);
  await startDatabase(of);
  return performance.now();
};

const all: ReadonlyArray<{ readonly name: string; readonly fault: Fault }> = [
  { name: 'kill -9 of PostgreSQL', fault: killed },
  { name: 'a freeze of PostgreSQL', fault: frozen },
  { name: 'a storm of connections to PostgreSQL', fault: crowded },
  { name: 'a full disk of PostgreSQL', fault: full },
];

test.each(isShort ? all.slice(0, 1) : all)('$name loses and repeats nothing', async (plan) => {
  const { verdict } = await runOnCluster(stack(), tail(), plan);
  expectNothingLost(verdict);
});
