import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { hasRows, tableOf } from '../chaos/rows';
import { pagesFor, shell } from '../support/documents/tier-commands';
import type { Outcome } from './callers';
import { bringUpBacking, list, settled, type Cluster, type Resource } from './cluster';

/** `REDIS_UNAVAILABLE_SECONDS`: how long Redis is unavailable in the longest scenario. */
const UNAVAILABLE_MS = 1_000 * Number(process.env['REDIS_UNAVAILABLE_SECONDS'] ?? 900);
/** `CALL_DEADLINE_MS`, and time for the answer to arrive. */
const ANSWERED_WITHIN_MS = 12_000;
const kubectl = (line: string): Promise<string> => shell(`kubectl -n point-alarm ${line}`);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await bringUpBacking();
  return async () => {
    if (hasRows()) console.log(tableOf());
    await cluster.remove();
  };
});

test('the commands of the documents put the service on the cluster', async () => {
  const [first] = pagesFor('test:kubernetes', 'docs/deployment-kubernetes.md');
  await cluster.documented(first?.script ?? '');
  // A Deployment begins with one pod. Calls that come while the autoscaler brings the others may have to wait for a processor.
  await kubectl('wait --for=condition=AbleToScale hpa --all --timeout=120s');
  await settled('point-alarm');
  await cluster.startCallers();
});

const untried = (why: string): void => console.log(`untried: ${why}`);
const pods = async (name: string): Promise<ReadonlyArray<Resource>> =>
  (await list(`pods -n point-alarm --selector app.kubernetes.io/name=point-alarm-${name}`)).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
const podOf = async (name: 'api' | 'worker'): Promise<string> => (await pods(name))[0]?.metadata.name ?? '';

const expectNothingLost = ({ row, calls, unanswered, failed, slowestMs }: Outcome): void => {
  console.log(`${row.name}: ${calls} calls, ${failed.length} failed, the slowest took ${slowestMs} ms`);
  expect(row.verdict.breaches).toEqual([]);
  expect(row.verdict.acknowledged).toBeGreaterThan(100);
  expect(unanswered).toEqual([]);
  expect(slowestMs).toBeLessThan(ANSWERED_WITHIN_MS);
};

const rolledOut = (name: 'api' | 'worker'): Promise<string> =>
  kubectl(`rollout restart deployment/point-alarm-${name}`).then(() => settled('point-alarm'));

const evicted = async (name: 'api' | 'worker'): Promise<void> => {
  const pod = await podOf(name);
  const metadata = { name: pod, namespace: 'point-alarm' };
  const eviction = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata });
  await shell(`kubectl create --raw /api/v1/namespaces/point-alarm/pods/${pod}/eviction -f - <<<'${eviction}'`);
  await kubectl(`wait --for=delete pod/${pod} --timeout=60s`);
  await settled('point-alarm');
};

const ordered: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
  ['a rolling restart of the API', () => rolledOut('api')],
  ['a rolling restart of the workers', () => rolledOut('worker')],
  ['an eviction of an API', () => evicted('api')],
  ['an eviction of a worker', () => evicted('worker')],
];

test.each(ordered)('no call fails in %s', async (name, fault) => {
  const outcome = await cluster.play({ name, keyed: 0 }, fault);
  expectNothingLost(outcome);
  expect(outcome.failed).toEqual([]);
});

test('a node drained loses and repeats nothing', async () => {
  const [, node] = cluster.nodes;
  if (node === undefined) {
    untried('a drain, for the cluster has one node');
    return;
  }
  const outcome = await cluster.play({ name: 'a node drained' }, async () => {
    await shell(`kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=240s`);
    await settled('point-alarm');
    await shell(`kubectl uncordon ${node}`);
  });
  expectNothingLost(outcome);
});

test('a worker killed loses and repeats nothing', async () => {
  expectNothingLost(
    await cluster.play({ name: 'a worker killed' }, async () => {
      await kubectl(`delete pod ${await podOf('worker')} --force --grace-period=0`);
      await settled('point-alarm');
    }),
  );
});

test("Redis' primary deleted loses and repeats nothing", async () => {
  expectNothingLost(
    await cluster.play({ name: "Redis' primary deleted" }, async () => {
      const primary = await shell(
        'kubectl -n redis exec sentinel-0 -- redis-cli -p 26379 --raw sentinel get-master-addr-by-name point-alarm | head -n 1',
      );
      await shell(`kubectl -n redis delete pod ${primary.replace('.redis', '')} --force --grace-period=0`);
      await settled('redis');
    }),
  );
});

/** Within this time a new API pod must serve. */
const READY_WITHIN_MS = 30_000;

const readyAfterMs = ({ metadata, status }: Resource): number => {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True'
    ? Date.parse(ready.lastTransitionTime) - Date.parse(metadata.creationTimestamp)
    : Infinity;
};

test('while Redis is unavailable new API pods serve', async () => {
  const plan = { name: `Redis unavailable for ${UNAVAILABLE_MS / 1_000} s, new API pods`, pauseMs: 600 };
  const outcome = await cluster.play(plan, async () => {
    const began = performance.now();
    await shell('kubectl -n redis scale statefulset redis --replicas 0');
    await shell('kubectl -n redis wait --for=delete pod/redis-0 pod/redis-1 --timeout=60s');
    const before = new Set((await pods('api')).map(({ metadata }) => metadata.name));
    await kubectl('rollout restart deployment/point-alarm-api');
    await kubectl('rollout status deployment/point-alarm-api --timeout=300s');
    const now = await pods('api');
    expect(now.filter(({ metadata }) => before.has(metadata.name))).toEqual([]);
    const times = now.map(readyAfterMs);
    console.log(`without Redis new API pods were ready after ${times.join(', ')} ms`);
    expect(Math.max(...times)).toBeLessThanOrEqual(READY_WITHIN_MS);
    await sleep(Math.max(0, UNAVAILABLE_MS - (performance.now() - began)));
    await shell('kubectl -n redis scale statefulset redis --replicas 2');
    await settled('redis');
  });
  expectNothingLost(outcome);
  expect(outcome.row.waits?.silence).toBeLessThan(ANSWERED_WITHIN_MS);
});

test('the commands of the other pages run', async () => {
  const [, ...others] = pagesFor('test:kubernetes', 'docs/deployment-kubernetes.md');
  for (const { script } of others) await cluster.documented(script);
  await settled('point-alarm');
});

const wrong = [
  ['api', 'TEMPORAL_ADDRESS=nowhere.invalid:7233'],
  ['api', 'CALL_DEADLINE_MS=soon'],
  ['worker', 'TEMPORAL_ADDRESS=nowhere.invalid:7233'],
] as const;

test.each(wrong)('a rollout of the %s with %s stops, and the old pods serve', async (name, setting) => {
  const old = (await pods(name)).map(({ metadata }) => metadata.name);
  const outcome = await cluster.play({ name: `${name} with ${setting}`, keyed: 0 }, async () => {
    await kubectl(`set env deployment/point-alarm-${name} ${setting}`);
    await expect(kubectl(`rollout status deployment/point-alarm-${name} --timeout=45s`)).rejects.toThrow('timed out');
    const now = (await pods(name)).filter((pod) => readyAfterMs(pod) < Infinity).map(({ metadata }) => metadata.name);
    expect([...now].sort()).toEqual([...old].sort());
    await kubectl(`rollout undo deployment/point-alarm-${name}`);
    await settled('point-alarm');
  });
  expectNothingLost(outcome);
  expect(outcome.failed).toEqual([]);
});

/** Whether a process in a pod, as `kubectl exec` finds it, is connected to an address within five seconds. */
const reaches = async (from: string, address: string): Promise<boolean> => {
  const [host, port] = address.split(':');
  const told = (word: string): string => `() => process.exit(console.log('${word}'))`;
  const code = `require('net').connect(${port}, '${host}').on('connect', ${told('open')}).on('error', ${told('closed')});
    setTimeout(${told('closed')}, 5000)`;
  return (await shell(`kubectl exec ${from} -- node -e "${code}"`)) === 'open';
};

/** Takes effect within seconds where the cluster enforces policies. */
const ISOLATED = JSON.stringify({
  ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'isolated', namespace: 'redis' } },
  spec: { podSelector: { matchLabels: { run: 'stranger' } }, policyTypes: ['Egress'] },
});

test('what the policies promise to be closed is closed', async () => {
  const frontend = 'temporal-frontend.temporal:7233';
  const [stranger, api] = ['-n redis stranger', '-n point-alarm deployment/point-alarm-api'];
  await cluster.documented(`kubectl -n redis run stranger --image=registry.example/point-alarm-service:0.1.0 --command -- sleep infinity
    kubectl -n redis wait --for=condition=Ready pod/stranger --timeout=60s`);
  expect([await reaches(stranger, frontend), await reaches(api, frontend)]).toEqual([true, true]);
  await shell(`kubectl apply -f - <<<'${ISOLATED}'`);
  await sleep(10_000);
  const enforces = !(await reaches(stranger, frontend));
  await shell('kubectl -n redis delete networkpolicy isolated');
  if (!enforces) {
    untried('the network policies, for the cluster enforces none');
    return;
  }
  await sleep(10_000);
  const worker = (await pods('worker'))[0]?.status.podIP ?? '';
  const closed = [
    [stranger, 'point-alarm-api.point-alarm:80'],
    [stranger, `${worker}:3001`],
    [api, 'postgres.temporal:5432'],
    [api, `${worker}:3001`],
    ['-n point-alarm deployment/point-alarm-worker', 'point-alarm-api:80'],
  ] as const;
  for (const [from, to] of closed) expect([from, to, await reaches(from, to)]).toEqual([from, to, false]);
  expect(await reaches('-n point-alarm callers', 'point-alarm-api:80')).toBe(true);
});

test('the autoscalers see their metrics', async () => {
  const served = await shell('kubectl get --raw /apis/custom.metrics.k8s.io/v1beta1').then(
    () => true,
    () => false,
  );
  if (!served) {
    untried('autoscaling, for the cluster serves no custom metrics');
    return;
  }
  await kubectl('wait --for=condition=ScalingActive hpa/point-alarm-api hpa/point-alarm-worker --timeout=300s');
});
