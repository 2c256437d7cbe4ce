import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { baseline, service, type Calls } from '../../dev/bench/calls';
import { costRows } from '../../dev/bench/loads';
import { measureRow, warmUp, type Row } from '../../dev/bench/measure';
import { benchOptions } from '../../dev/bench/options';
import { rowLine, tablesOf } from '../../dev/bench/report';
import type { BenchStack } from '../../dev/bench/stack';
import { startNodeProcess } from '../../dev/stack/service';
import { startClusterStack, type ClusterStack } from '../cluster/cluster-stack';
import { API_PORT } from '../cluster/hosts/balancer';
import { openGround } from '../support/ground';
import { startComposeLayout } from './compose-layout';

// What a value costs on other layouts than `npm start`, which `npm run bench -- cost` measures: `npm run bench:cluster`.

/** BENCH_OPTIONS are those of `npm run bench`, such as `--paces 0,40 --rounds 1`. */
const options = benchOptions(['cost', ...(process.env['BENCH_OPTIONS'] ?? '').split(' ').filter((one) => one !== '')]);

/** The rows of a layout. Each new one is shown, and all are written to a file. */
const reportOf = (layout: string) => {
  const rows: Row[] = [];
  const file = join(options.folder, `bench-cost-${layout}.json`);
  const measured = async (side: string, calls: Calls, stack: BenchStack): Promise<void> => {
    const say = (line: string): void => console.log(line);
    const note = (row: Row): void => {
      rows.push(row);
      say(rowLine(row));
      mkdirSync(options.folder, { recursive: true });
      writeFileSync(file, `${JSON.stringify({ at: new Date(), node: process.version, rows }, undefined, 1)}\n`);
    };
    const bench = { options, signal: new AbortController().signal, say, note, stack };
    await warmUp(bench);
    for (const row of costRows(options.scale.spread[0], options.scale.paces, { side, calls }))
      await measureRow(bench, row);
  };
  const close = (): void => {
    console.log(Object.values(tablesOf(rows)).join('\n'));
    expect(new Set(rows.map(({ side }) => side))).toEqual(new Set(['service', 'baseline']));
    for (const { load, figures } of rows) if (load !== 'idle') expect(figures['Calls/s'], load).toBeGreaterThan(0);
  };
  return { measured, close };
};

test('what a value and a plain update cost with one Temporal process, PostgreSQL, one API and one worker', async () => {
  const { measured, close } = reportOf('compose');
  for (const [side, calls] of [['service', service.calm] as const, ['baseline', baseline.update] as const]) {
    const ground = openGround('compose');
    try {
      await measured(side, calls, await startComposeLayout(side, ground));
    } finally {
      await ground.close(); // ends all that was started, however far that went
    }
  }
  close();
});

test('what a value and a plain update cost on a cluster', async () => {
  const { measured, close } = reportOf('cluster');
  const cluster = await startClusterStack({ isWatched: false });
  try {
    const { apis, workers } = cluster;
    const pidsOf = (all: typeof apis) => all.map((one) => one.child().pid);
    await measured(
      'service',
      service.calm,
      await asBenchStack(cluster, { API: pidsOf(apis), worker: pidsOf(workers) }),
    );
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
    await measured('baseline', baseline.update, await asBenchStack(cluster, { baseline: [own.child().pid] }));
    await own.kill();
  } finally {
    await cluster.stop();
  }
  close();
});

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
      // PostgreSQL starts a process for each connection, so its processes are looked up each time.
      get PostgreSQL() {
        return on([database]);
      },
      Redis: on(redis),
      HAProxy: on([balancer]),
    },
    ...{ before: undefined, database: [] },
    stop: () => Promise.resolve(),
  };
};
