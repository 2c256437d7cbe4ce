import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { projectRoot } from '../../stack/project-root';
import type { Asked } from '../chaos/history';
import { startLoad } from '../chaos/load/load';
import { eventually } from '../chaos/probe';
import { settingOf, type Setting } from '../chaos/scenario';
import { seed } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import { costOf, during, type Span } from './costs';
import { API_PORT } from './hosts/balancer';

const { stack, tail } = withStackOf(() => startClusterStack({ isSplit: true }));

const NODES = 100;
const CALLERS = 16;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 60_000;
const IDLE_MS = 20_000;
const SETTLED_WITHIN_MS = 60_000;

/** What an update asks for: a measurement that leaves the status as it is, or one that changes it. */
const loads: Readonly<Record<string, (setting: Setting<ClusterStack>) => () => Asked>> = {
  'the status stays': ({ asks }) => asks.measurement,
  'the status changes': ({ random }) => {
    let status = 0;
    return () => ({ kind: 'setExternalAlarm', status: (status = status === 4 ? 2 : 4), setBy: random.uuid() });
  },
};

const cost = async (name: string, idle: Span) => {
  const balancer = `http://${stack().balancer.host.address}:${API_PORT}`;
  const setting = settingOf(stack(), tail(), { seed, nodes: NODES, nextBase: () => balancer });
  const { recorder, asks, nodes, random } = setting;
  for (const nodeId of nodes) await recorder.send(nodeId, asks.threshold(), { keyed: true });
  const load = startLoad({
    ...{ recorder, random, nodes, callers: CALLERS, pauseMs: 100, keyed: 0, bad: 0 },
    asks: { ...asks, any: loads[name]?.(setting) ?? asks.any },
  });
  await sleep(WARM_UP_MS);
  const before = recorder.writes.length;
  let after = before;
  const span = await during(stack(), async () => {
    await sleep(MEASURED_MS);
    after = recorder.writes.length;
  });
  await load.stop();
  const acknowledged = recorder.writes.filter(({ answer }) => answer === 'acknowledged');
  await eventually(
    () => acknowledged.filter(({ id }) => !tail().arrivals.has(id)).length,
    (missing) => missing === 0,
    SETTLED_WITHIN_MS,
  );
  const updates = after - before;
  return { name, updates, perSecond: updates / span.seconds, ...costOf(span, idle, updates) };
};

const lineOf = (name: string, values: ReadonlyArray<number | undefined>): string =>
  `| ${name} | ${values.map((value) => (value ?? 0).toFixed(2)).join(' | ')} |`;

/** docs/capacity.md rests on it. */
test('what an update costs, by process and in the database', async () => {
  await sleep(WARM_UP_MS);
  const idle = await during(stack(), () => sleep(IDLE_MS));
  const costs: Array<Awaited<ReturnType<typeof cost>>> = [];
  for (const name of Object.keys(loads)) costs.push(await cost(name, idle));
  const table = (kind: 'processorMs' | 'database'): ReadonlyArray<string> =>
    Object.keys(costs[0]?.[kind] ?? {}).map((name) =>
      lineOf(
        name,
        costs.map((one) => one[kind][name]),
      ),
    );
  const total = costs.map(({ processorMs }) => Object.values(processorMs).reduce((sum, ms) => sum + ms, 0));
  console.log(
    [
      `${cpus().length} cores, ${NODES} nodes, ${CALLERS} callers`,
      lineOf(
        'updates per second',
        costs.map(({ perSecond }) => perSecond),
      ),
      ...table('processorMs'),
      lineOf('processor ms in all', total),
      ...table('database'),
    ].join('\n'),
  );
  mkdirSync(join(projectRoot, 'reports'), { recursive: true });
  writeFileSync(join(projectRoot, 'reports/cluster-cost.json'), `${JSON.stringify(costs, undefined, 2)}\n`);
  for (const { updates, processorMs, database } of costs) {
    expect(updates).toBeGreaterThan(300);
    for (const part of ['Temporal frontend', 'Temporal history', 'Temporal matching', 'PostgreSQL', 'API', 'worker'])
      expect(processorMs[part]).toBeGreaterThan(0);
    // An update of a node that runs is one write of Temporal's, of some rows, and its events go out without another.
    const { 'rows inserted': inserted = 0, 'rows updated': updated = 0, 'rows deleted': deleted = 0 } = database;
    expect(inserted + updated + deleted).toBeLessThan(15);
  }
});
