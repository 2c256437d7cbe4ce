import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { baseline, service, type Calls } from '../../dev/bench/calls';
import { costRows } from '../../dev/bench/loads';
import { measureRow, warm, type Bench, type Row } from '../../dev/bench/measure';
import { benchOptions } from '../../dev/bench/options';
import { rowLine, tablesOf } from '../../dev/bench/report';
import type { BenchStack } from '../../dev/bench/stack';
import { startNodeProcess } from '../../dev/stack/service';
import { startClusterStack, type ClusterStack } from '../cluster/cluster-stack';
import { API_PORT } from '../cluster/hosts/balancer';
import { forFile } from '../support/for-file';

// What a value costs on a cluster: `npm run bench:cluster`, beside `npm run bench -- cost` on one machine.
const cluster = forFile(
  () => startClusterStack(),
  ({ stop }) => stop(),
);
/** BENCH_OPTIONS are those of `npm run bench`, such as `--paces 0,40 --rounds 1`. */
const options = benchOptions(['cost', ...(process.env['BENCH_OPTIONS'] ?? '').split(' ').filter((one) => one !== '')]);
const rows: Row[] = [];

/** The cluster as the benchmark sees one: what runs on its machines, by what it is there for. */
const asBenchStack = async (stack: ClusterStack, more: BenchStack['processes']): Promise<BenchStack> => {
  const { balancer, database, redis, temporal } = stack;
  const on = (machines: ReadonlyArray<{ readonly host: { readonly processes: () => ReadonlyArray<number> } }>) =>
    machines.flatMap(({ host }) => host.processes());
  return {
    api: `http://${balancer.host.address}:${API_PORT}`,
    token: await stack.signToken('bench'),
    temporal: stack.cluster.temporalAddress,
    redis: stack.redisSettings.url,
    processes: {
      load: [process.pid],
      ...more,
      Temporal: on(temporal),
      PostgreSQL: on([database]),
      Redis: on(redis),
      HAProxy: on([balancer]),
    },
    ...{ before: undefined, database: [] },
    stop: () => Promise.resolve(),
  };
};

const measured = async (side: string, calls: Calls, processes: BenchStack['processes']): Promise<void> => {
  const note = (row: Row): void => {
    rows.push(row);
    console.log(rowLine(row));
  };
  const { signal } = cluster.ground;
  const stack = await asBenchStack(cluster, processes);
  const bench: Bench = { options, signal, say: (line) => console.log(line), note, stack };
  await warm(bench);
  for (const row of costRows(options.scale.spread[0], options.scale.paces, { side, calls }))
    await measureRow(bench, row);
};

test('what a value costs on a cluster, and what plain updates cost there', async () => {
  const { apis, workers } = cluster;
  const pidsOf = (all: typeof apis) => all.map((one) => one.child().pid);
  await measured('service', service.calm, { API: pidsOf(apis), worker: pidsOf(workers) });
  // Idle processes ask for work, and wake the servers.
  for (const one of [...workers, ...apis]) await one.kill();
  const { host } = workers[0].machine;
  const own = await startNodeProcess(
    {
      name: 'baseline',
      args: ['dist/dev/bench/baseline.js', cluster.cluster.temporalAddress],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '3005' },
      url: `http://${host.address}:3005`,
      log: `${cluster.folder}/baseline.log`,
      on: host.on,
    },
    cluster.ground,
  );
  await own.ready();
  await measured('baseline', baseline.update, { baseline: [own.child().pid] });
  await own.kill();
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/bench-cost-cluster.json', `${JSON.stringify({ at: new Date(), rows }, undefined, 1)}\n`);
  console.log(Object.values(tablesOf(rows)).join('\n'));
  expect(new Set(rows.map(({ side }) => side))).toEqual(new Set(['service', 'baseline']));
  for (const { load, figures } of rows) if (load !== 'idle') expect(figures['Calls/s'], load).toBeGreaterThan(0);
});
