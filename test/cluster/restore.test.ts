import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { checkHistory } from '../chaos/check-history';
import { finalsOf, waitForRecovery, settingOf, type Setting } from '../chaos/scenario';
import type { Entry, Final } from '../chaos/history';
import { eventually } from '../chaos/probe';
import { seed } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack } from './cluster-stack';
import { API_PORT } from './hosts/balancer';
import { backUpPostgres, backUpRedis, markPostgres, republish, restorePostgres, restoreRedis } from './restore';

const { stack, tail } = withStackOf(() => startClusterStack({ isArchiving: true }));

const NODES = 20;
const SETTLED_WITHIN_MS = 60_000;

let drills = 0;

/** Callers of fresh nodes. */
const callersOf = (): Setting<ClusterStack> => {
  drills += 1;
  const balancer = `http://${stack().balancer.host.address}:${API_PORT}`;
  return settingOf(stack(), tail(), { seed: seed + 1_000 + drills, nodes: NODES, nextBase: () => balancer });
};

/** Three writes to each node, all acknowledged and out; what the nodes are then. */
const written = async (setting: Setting<ClusterStack>): Promise<ReadonlyArray<Final>> => {
  const { recorder, requests, nodes } = setting;
  for (const ask of [requests.threshold, requests.measurement, requests.external]) {
    const writes = await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, ask(), { keyed: true })));
    expect(writes.map(({ answer }) => answer)).toEqual(nodes.map(() => 'acknowledged'));
  }
  const ids = recorder.writes.map(({ id }) => id);
  await eventually(
    () => ids.filter((id) => !tail().arrivals.has(id)).length,
    (missing) => missing === 0,
    SETTLED_WITHIN_MS,
  );
  return finalsOf(setting);
};

/** A republished event bears the node's time, and its entry that of the request; the checker knows ordinary events. */
const asOrdinary = (entry: Entry): Entry => {
  const { updatedAt } = JSON.parse(entry['data'] ?? '{}') as { readonly updatedAt?: number };
  return entry['userId'] === 'pas' ? { ...entry, timestamp: String(updatedAt) } : entry;
};

/** What the stream says against the nodes: of how many nodes the last event is not what GET answers, and whether it repeats or leaves order. */
const streamOf = async (setting: Setting<ClusterStack>) => {
  const ours = new Set(setting.nodes);
  const entries = (await tail().read()).filter((entry) => ours.has(String(entry['aggregateId']))).map(asOrdinary);
  const { breaches } = checkHistory({ writes: [], entries, finals: await finalsOf(setting) });
  const of = (promise: string) => breaches.filter((breach) => breach.promise === promise);
  const stale = new Set(of('last').map(({ nodeId }) => nodeId)).size;
  return { events: entries.length, stale, repeated: of('repeated').length, disordered: of('disordered').length };
};

/** Has all nodes publish, and waits until each one's last event is what it is; new writes are taken then. */
const madeWhole = async (setting: Setting<ClusterStack>, name: string): Promise<void> => {
  await republish(stack(), name);
  await eventually(
    () => streamOf(setting),
    ({ stale }) => stale === 0,
    SETTLED_WITHIN_MS,
  );
  expect(await streamOf(setting)).toMatchObject({ repeated: 0, disordered: 0 });
  await waitForRecovery(setting, performance.now());
};

const nodesThatDiffer = (one: ReadonlyArray<Final>, other: ReadonlyArray<Final>): number =>
  one.filter((final, at) => !isDeepStrictEqual(final, other[at])).length;

test('PostgreSQL restored to an earlier point: what was written after it is lost, nothing before; republish makes consumers whole', async () => {
  const setting = callersOf();
  const backup = await backUpPostgres(stack(), 'one');
  const kept = await written(setting);
  await markPostgres(stack(), 'drill_one');
  expect(nodesThatDiffer(await written(setting), kept)).toBe(NODES);

  await restorePostgres(stack(), backup, 'drill_one');
  expect(await finalsOf(setting)).toEqual(kept);
  const ahead = await streamOf(setting);
  expect(ahead).toMatchObject({ stale: NODES, repeated: 0, disordered: 0 });
  await madeWhole(setting, 'drill-one');
  console.log(
    `PostgreSQL earlier, Redis ahead: ${JSON.stringify(ahead)}; nodes as they were at the point: ${kept.length}`,
  );
});

test('Redis restored behind PostgreSQL: no node loses a write, events are missing; republish makes consumers whole', async () => {
  const setting = callersOf();
  await written(setting);
  const before = await streamOf(setting);
  const backup = await backUpRedis(stack());
  const kept = await written(setting);
  const all = await streamOf(setting);

  await restoreRedis(stack(), backup);
  const behind = await streamOf(setting);
  expect(await finalsOf(setting)).toEqual(kept);
  expect(behind.events).toBeLessThan(all.events);
  expect(behind.events).toBeGreaterThanOrEqual(before.events);
  expect(behind.stale).toBeGreaterThan(0);
  await madeWhole(setting, 'drill-two');
  console.log(`Redis behind: ${JSON.stringify({ before, all, behind })}`);
});

test('both restored to about the same point: nodes and stream go on from there', async () => {
  const setting = callersOf();
  const postgres = await backUpPostgres(stack(), 'three');
  const kept = await written(setting);
  await markPostgres(stack(), 'drill_three');
  const redis = await backUpRedis(stack());
  await written(setting);

  await restoreRedis(stack(), redis);
  await restorePostgres(stack(), postgres, 'drill_three');
  expect(await finalsOf(setting)).toEqual(kept);
  const both = await streamOf(setting);
  await madeWhole(setting, 'drill-three');
  console.log(`both: ${JSON.stringify(both)}`);
});
