import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../dev/stack/project-root';
import { hasRows, tableOf } from '../chaos/rows';
import { NODE, pagesFor, partFor, scriptFor, shell } from '../support/documents/tier-commands';
import { createAuthority } from '../support/tls/certificates';
import type { Outcome } from './callers';
import { bringUpBacking, list, waitForRollouts, type Cluster, type Resource } from './cluster';

/** `REDIS_UNAVAILABLE_SECONDS`: how long Redis is unavailable in the longest scenario. */
const UNAVAILABLE_MS = 1_000 * Number(process.env['REDIS_UNAVAILABLE_SECONDS'] ?? 900);
/** `CALL_DEADLINE_MS`, and time for the answer to arrive. */
const ANSWERED_WITHIN_MS = 12_000;
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
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
  await waitForRollouts('point-alarm');
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
  kubectl(`rollout restart deployment/point-alarm-${name}`).then(() => waitForRollouts('point-alarm'));

const evicted = async (name: 'api' | 'worker'): Promise<void> => {
  const pod = await podOf(name);
  const metadata = { name: pod, namespace: 'point-alarm' };
  const eviction = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata });
  await shell(`kubectl create --raw /api/v1/namespaces/point-alarm/pods/${pod}/eviction -f - <<<'${eviction}'`);
  await kubectl(`wait --for=delete pod/${pod} --timeout=60s`);
  await waitForRollouts('point-alarm');
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
    await waitForRollouts('point-alarm');
    await shell(`kubectl uncordon ${node}`);
  });
  expectNothingLost(outcome);
});

test('a worker killed loses and repeats nothing', async () => {
  expectNothingLost(
    await cluster.play({ name: 'a worker killed' }, async () => {
      await kubectl(`delete pod ${await podOf('worker')} --force --grace-period=0`);
      await waitForRollouts('point-alarm');
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
      await waitForRollouts('redis');
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
    await waitForRollouts('redis');
  });
  expectNothingLost(outcome);
  expect(outcome.row.waits?.silence).toBeLessThan(ANSWERED_WITHIN_MS);
});

test('the commands of the other pages run', async () => {
  const [, ...others] = pagesFor('test:kubernetes', 'docs/deployment-kubernetes.md');
  for (const { script } of others) await cluster.documented(script);
  await waitForRollouts('point-alarm');
});

/** What a part of a page prints that a test runs by itself. */
const part = (name: string, page: string): Promise<string> =>
  cluster.documented(partFor('test:kubernetes', name, page));
/** What a line of the commands prints that the runbook defines. */
const withRunbook = (line: string): Promise<string> =>
  cluster.documented(`${scriptFor('test:kubernetes', read('docs/runbook/README.md'))}\n${line}`);
const PAGE = 'docs/deployment-kubernetes.md';
const BACKUP_PAGE = 'docs/backup-restore.md';

/** What the API answers about the node of the documents to a caller in the cluster. */
const call = (line: string, body?: object): Promise<string> => {
  const [method, path, rest = ''] = line.split(' ');
  const request = `{ method: '${method}', headers: { authorization: 'Bearer $TOKEN', 'content-type': 'application/json' }
    ${body === undefined ? '' : `, body: JSON.stringify(${JSON.stringify(body).replaceAll('"', "'")})`} }`;
  return cluster.documented(`kubectl -n point-alarm exec callers -- node -e "
    fetch('http://point-alarm-api/v1/${path}/$NODE${rest}', ${request}).then(async (answer) => console.log(answer.status, await answer.text()))"`);
};

test('a scraper in the namespace monitoring reaches each API and worker', async () => {
  const made = await shell('kubectl create namespace monitoring').then(
    () => true,
    () => false,
  );
  await runIdle('monitoring', 'scraper');
  for (const [name, port] of [
    ['api', 3000],
    ['worker', 3001],
  ] as const)
    for (const { status } of await pods(name)) {
      const code = `fetch('http://${status.podIP}:${port}/metrics').then(async (answer) => console.log(answer.status, await answer.text()))`;
      const answer = await shell(`kubectl -n monitoring exec scraper -- node -e "${code}"`);
      expect(answer).toMatch(/^200 [^]*point_alarm_dependency_up/u);
    }
  await shell(made ? 'kubectl delete namespace monitoring' : 'kubectl -n monitoring delete pod scraper');
});

test('pas takes a file in a pod of its own', async () => {
  const [, block = ''] = /(kubectl -n point-alarm run pas .*?\$NODE\n)/su.exec(read(PAGE)) ?? [];
  const limits = join(cluster.folder, 'limits.ndjson');
  const overall = { unit: 'C', outerHigh: 70, innerHigh: 55 };
  writeFileSync(limits, `${JSON.stringify({ nodeId: NODE, thresholdType: 2, overall })}\n`);
  const printed = await cluster.documented(
    block.replace('--attach', '--stdin --attach').replace('pas status $NODE', `pas import - < ${limits}`),
  );
  expect(printed).toContain('1 set, 0 set before, 0 failed');
  expect(await call('GET point-alarm-threshold')).toContain('"innerHigh":55');
});

test('the CronJob copies Redis into a bucket', async () => {
  const bucket = `let kept = ''; require('http').createServer((asked, answer) => {
    const parts = [];
    asked.on('data', (part) => parts.push(part)).on('end', () => {
      if (asked.method === 'PUT') kept = asked.url + ' ' + Buffer.concat(parts).toString('latin1');
      answer.end(asked.method === 'GET' ? kept : '');
    });
  }).listen(9000)`;
  await cluster.documented(`kubectl -n redis run bucket --image=registry.example/point-alarm-service:0.1.0 --port=9000 --expose \\
      --command -- node -e "${bucket}"
    kubectl -n redis wait --for=condition=Ready pod/bucket --timeout=60s`);
  // By its address, because the bucket's name would otherwise be part of a host's.
  const address = await shell("kubectl -n redis get service bucket --output jsonpath='{.spec.clusterIP}'");
  const stringData = { AWS_ENDPOINT_URL: `http://${address}:9000`, AWS_DEFAULT_REGION: 'us-east-1' };
  await shell(`kubectl -n redis patch secret redis-auth --patch '${JSON.stringify({ stringData })}'`);
  await part('copies', BACKUP_PAGE);
  await shell('kubectl -n redis wait --for=condition=Complete job/redis-copy-now --timeout=240s');
  const asked = `fetch('http://127.0.0.1:9000').then(async (answer) => console.log(await answer.text()))`;
  const kept = await shell(`kubectl -n redis exec bucket -- node -e "${asked}" | tr -d '\\000'`);
  expect(kept).toMatch(/^\/your-bucket\/redis-[\dT-]+\.rdb[^]*REDIS00\d\d[^]*point-alarm-events/u);
});

test('certificates of the secret are read by pas in the image, by their relative path', async () => {
  const { cert, issue } = createAuthority('test');
  const [server, client] = [issue('redis-tls.redis'), issue('client')];
  const files = { 'ca.pem': cert, 'client.pem': client.cert, 'client-key.pem': client.key };
  const ofServer = { 'server.pem': server.cert, 'server.key': server.key };
  for (const [name, text] of Object.entries({ ...files, ...ofServer })) writeFileSync(join(cluster.folder, name), text);
  const named = '--tls-cert-file /tls/server.pem --tls-key-file /tls/server.key --tls-ca-cert-file /tls/ca.pem';
  await shell(`cd ${cluster.folder}
    kubectl -n redis create configmap redis-tls --from-file=ca.pem --from-file=server.pem --from-file=server.key
    kubectl -n redis run redis-tls --image=redis:7.4.2-bookworm --port=6380 --expose --overrides='${JSON.stringify({
      spec: {
        volumes: [{ name: 'tls', configMap: { name: 'redis-tls' } }],
        containers: [
          {
            name: 'redis-tls',
            image: 'redis:7.4.2-bookworm',
            command: `redis-server --port 0 --tls-port 6380 --tls-auth-clients yes ${named}`.split(' '),
            ports: [{ containerPort: 6380 }],
            volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
          },
        ],
      },
    })}'
    kubectl -n redis wait --for=condition=Ready pod/redis-tls --timeout=60s`);
  await cluster.documented(`cd ${cluster.folder}\n${partFor('test:kubernetes', 'certificates', PAGE)}`);
  await waitForRollouts('point-alarm');
  const watch = (settings: string): Promise<string> =>
    kubectl(`exec deployment/point-alarm-worker -- env --chdir=/tmp REDIS_SENTINELS= REDIS_SENTINEL_MASTER= \\
      REDIS_URL=rediss://redis-tls.redis:6380 ${settings} pas watch --last 1 --once`);
  await watch(`REDIS_TLS_SERVER_CA_CERT_PATH=config/ca.pem REDIS_TLS_CLIENT_CERT_PATH=config/client.pem \\
    REDIS_TLS_CLIENT_KEY_PATH=config/client-key.pem`);
  await expect(watch('')).rejects.toThrow(/certificate/u);
});

test('encryption is turned on in the steps of the page, and nodes keep their state', async () => {
  const query = (): Promise<string> => withRunbook('temporal workflow query -w point-alarm-$NODE --type threshold');
  const before = await call('GET point-alarm-threshold');
  expect(await query()).toContain('innerHigh');
  await part('secret', PAGE);
  await waitForRollouts('point-alarm');
  expect(await call('GET point-alarm-threshold')).toBe(before);
  expect(await query()).not.toContain('innerHigh');
});

test('PostgreSQL goes back to a copy in the steps of the page, and so do the nodes', async () => {
  const databases = ['temporal', 'temporal_visibility'];
  const sql = async (...statements: ReadonlyArray<string>): Promise<void> => {
    for (const statement of statements)
      await shell(`kubectl -n temporal exec postgres-0 -- psql -U temporal -d postgres -c '${statement}'`);
  };
  const stop = async (): Promise<void> => {
    await part('stop', BACKUP_PAGE);
    for (const [namespace, selector] of [
      ['point-alarm', 'app.kubernetes.io/name in (point-alarm-api, point-alarm-worker)'],
      ['temporal', 'app=temporal'],
    ] as const)
      await shell(`kubectl -n ${namespace} wait --for=delete pod --selector '${selector}' --timeout=120s`);
  };
  const start = async (): Promise<void> => {
    await part('start', BACKUP_PAGE);
    await waitForRollouts('point-alarm');
  };
  const before = await call('GET alarm-status');
  await stop();
  await sql(...databases.map((name) => `CREATE DATABASE copy_${name} TEMPLATE ${name}`));
  await start();
  expect(await call('PUT alarm-status /status/external', { status: 3 })).toMatch(/^20/u);
  expect(await call('GET alarm-status')).not.toBe(before);
  await stop();
  await sql(...databases.flatMap((name) => [`DROP DATABASE ${name}`, `ALTER DATABASE copy_${name} RENAME TO ${name}`]));
  await start();
  expect(await call('GET alarm-status')).toBe(before);
  await withRunbook('pas republish --all --again');
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
    await waitForRollouts('point-alarm');
  });
  expectNothingLost(outcome);
  expect(outcome.failed).toEqual([]);
});

/** Whether a process in a pod, as `kubectl exec` finds it, is connected to an address within five seconds. */
const reaches = async (from: string, address: string): Promise<boolean> => {
  const [host, port] = address.split(':');
  const printWord = (word: string): string => `() => process.exit(console.log('${word}'))`;
  const code = `require('net').connect(${port}, '${host}').on('connect', ${printWord('open')}).on('error', ${printWord('closed')});
    setTimeout(${printWord('closed')}, 5000)`;
  return (await shell(`kubectl exec ${from} -- node -e "${code}"`)) === 'open';
};

/** A pod of the service's image that does nothing. */
const runIdle = (namespace: string, name: string): Promise<string> =>
  cluster.documented(`kubectl -n ${namespace} run ${name} --image=registry.example/point-alarm-service:0.1.0 --command -- sleep infinity
    kubectl -n ${namespace} wait --for=condition=Ready pod/${name} --timeout=60s`);

/** Takes effect within seconds where the cluster enforces policies. */
const ISOLATED = JSON.stringify({
  ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'isolated', namespace: 'redis' } },
  spec: { podSelector: { matchLabels: { run: 'stranger' } }, policyTypes: ['Egress'] },
});

test('what the policies promise to be closed is closed, and what they let in is open', async () => {
  const [frontend, redis, sentinel] = ['temporal-frontend.temporal:7233', 'redis-0.redis:6379', 'sentinel.redis:26379'];
  const [stranger, neighbour] = ['-n redis stranger', '-n temporal stranger'];
  const [api, worker] = ['api', 'worker'].map((name) => `-n point-alarm deployment/point-alarm-${name}`);
  await runIdle('redis', 'stranger');
  await runIdle('temporal', 'stranger');
  const open = [
    ...[api, worker].flatMap((from = '') => [frontend, redis, sentinel].map((to) => [from, to] as const)),
    [stranger, redis],
    [neighbour, frontend],
    ['-n point-alarm callers', 'point-alarm-api:80'],
  ] as const;
  for (const [from, to] of open) expect([from, to, await reaches(from, to)]).toEqual([from, to, true]);
  await shell(`kubectl apply -f - <<<'${ISOLATED}'`);
  await sleep(10_000);
  const enforces = !(await reaches(stranger, redis));
  await shell('kubectl -n redis delete networkpolicy isolated');
  if (!enforces) {
    untried('the network policies, for the cluster enforces none');
    return;
  }
  await sleep(10_000);
  const metrics = `${(await pods('worker'))[0]?.status.podIP ?? ''}:3001`;
  const closed = [
    [stranger, 'point-alarm-api.point-alarm:80'],
    [stranger, metrics],
    [stranger, frontend],
    [neighbour, redis],
    [neighbour, sentinel],
    [api, 'postgres.temporal:5432'],
    [api, metrics],
    [worker, 'point-alarm-api:80'],
  ] as const;
  for (const [from = '', to] of closed) expect([from, to, await reaches(from, to)]).toEqual([from, to, false]);
  for (const [from, to] of open) expect([from, to, await reaches(from, to)]).toEqual([from, to, true]);
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
