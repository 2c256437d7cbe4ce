import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { apiSettings, workerSettings } from '../../../process/settings';
import { namesOf } from '../../../process/settings/read';
import { projectRoot } from '../../../dev/stack/project-root';
import { ofKind, generatedMaps, kustomizationOf, podEnvironment, resourcesOf } from '../../support/deploy/manifests';

const maps = generatedMaps(['base', 'overlays/production']);
const base = resourcesOf('base');
const readers = { 'point-alarm-api': apiSettings, 'point-alarm-worker': workerSettings } as const;
/** Time for the process to end after its own deadline. */
const SPARE_MS = 5_000;

const pods = ofKind('Deployment', base).map((deployment) => {
  const read = readers[deployment.metadata.name as keyof typeof readers];
  const found = read(podEnvironment(deployment, maps, { 'redis-url': 'redis://redis:6379' }));
  if (E.isLeft(found)) throw new Error(found.left.join('\n'));
  const { spec } = deployment.spec.template;
  return { name: deployment.metadata.name, deployment, settings: found.right, spec, container: spec.containers[0] };
});
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

describe.each(pods)('a pod of $name', ({ deployment, settings, spec, container }) => {
  test('may take as long to stop as preStop and SHUTDOWN_DEADLINE_MS together, and has time to spare', () => {
    const preStopMs = 1_000 * (container.lifecycle?.preStop.sleep.seconds ?? 0);
    expect(1_000 * spec.terminationGracePeriodSeconds).toBe(preStopMs + settings.SHUTDOWN_DEADLINE_MS + SPARE_MS);
  });

  test('is asked where its process listens, which is beyond its loopback address', () => {
    const [port] = container.ports;
    expect(settings.HOST).toBe('0.0.0.0');
    expect('PORT' in settings ? settings.PORT : settings.WORKER_PORT).toBe(port?.containerPort);
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(['/healthz', '/readyz', '/readyz?exclude=Redis']).toContain(probe.httpGet.path);
      expect(probe.httpGet.port).toBe(port?.name);
    }
  });

  test('is not killed for a part that is unavailable', () => {
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container.startupProbe.httpGet.path).not.toBe('/readyz');
  });

  test('runs as the user of the image and by its command', () => {
    expect(read('Dockerfile')).toContain(
      `\nUSER ${String(spec.securityContext['runAsUser'])}:${String(spec.securityContext['runAsGroup'])}\n`,
    );
    const script = deployment.metadata.name === 'point-alarm-api' ? 'start:api' : 'start:worker';
    const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
    expect(container.command.join(' ')).toBe(scripts[script]);
  });

  test('has the name that alerts and scrape configuration know its job by', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(labels['app.kubernetes.io/name']).toBe(deployment.metadata.name);
    expect(read('deploy/prometheus/prometheus.yml')).toContain(`job_name: ${deployment.metadata.name}\n`);
    expect(read('deploy/kubernetes/components/monitoring/pod-monitor.yaml')).toContain(
      'jobLabel: app.kubernetes.io/name',
    );
  });
});

test('the forwarder is scraped under the name of a job that the alert on forwarders knows, and no policy closes its ways', () => {
  const forwarder = resourcesOf('components/forwarder');
  const [deployment] = ofKind('Deployment', forwarder);
  const monitor = forwarder.find(({ kind }) => kind === 'PodMonitor');
  const labels = deployment?.spec.template.metadata.labels ?? {};
  const [container] = deployment?.spec.template.spec.containers ?? [];
  expect(deployment?.spec.selector.matchLabels).toEqual(labels);
  expect(monitor).toMatchObject({
    spec: {
      jobLabel: 'app.kubernetes.io/name',
      selector: { matchLabels: labels },
      podMetricsEndpoints: [{ port: container?.ports[0]?.name, path: '/metrics' }],
    },
  });
  expect(Object.entries(labels)).toEqual([['app.kubernetes.io/name', 'point-alarm-forward-alertmanager']]);
  expect(read('deploy/prometheus/alerts.yml')).toContain('up{job=~"point-alarm-forward-.+"} == 1');
  expect(read('deploy/prometheus/prometheus.yml')).toContain('job_name: point-alarm-forward-alertmanager\n');
  expect(container?.command).toEqual(['pas', 'forward', 'alertmanager']);
});

test('the API takes calls for DRAIN_MS after SIGTERM, and is asked for its life meanwhile', () => {
  const [api] = pods;
  expect(api?.settings).toMatchObject({ DRAIN_MS: 2_000, SHUTDOWN_DEADLINE_MS: 10_000 });
  expect(api?.container.lifecycle?.preStop.sleep.seconds).toBeGreaterThanOrEqual(
    2 * (api?.container.readinessProbe.periodSeconds ?? 0),
  );
});

test('what selects pods selects those of one Deployment', () => {
  const labels = pods.map(({ deployment }) => deployment.spec.selector.matchLabels);
  expect(ofKind('PodDisruptionBudget', base).map(({ spec }) => spec.selector.matchLabels)).toEqual(labels);
  expect(ofKind('Service', base).map(({ spec }) => spec.selector)).toEqual(labels.slice(0, 1));
  for (const { deployment } of pods)
    expect(deployment.spec.template.metadata.labels).toMatchObject(deployment.spec.selector.matchLabels);
});

test('the API starts and serves without Redis, as calls succeed without it', () => {
  const [api] = pods;
  const probes = [api?.container.startupProbe, api?.container.readinessProbe, api?.container.livenessProbe];
  expect(probes.map((probe) => probe?.httpGet.path)).toEqual(['/readyz?exclude=Redis', '/healthz', '/healthz']);
});

test('the policies open the usual ports of every server that settings may name', () => {
  const opened = ofKind('NetworkPolicy', base).flatMap(({ spec }) =>
    spec.egress.flatMap(({ to, ports }) => (to === undefined ? ports.map(({ port }) => port) : [])),
  );
  const usual = { Temporal: 7233, Redis: 6379, 'Redis by TLS': 6380, Sentinel: 26379, HTTPS: 443 };
  expect([...opened].sort()).toEqual(Object.values(usual).sort());
});

test('the overlay makes the namespace that it puts everything into, which may call the API', () => {
  const { namespace } = kustomizationOf('overlays/production');
  const made = resourcesOf('overlays/production').filter(({ kind }) => kind === 'Namespace');
  expect(made.map(({ metadata }) => metadata)).toMatchObject([
    { name: namespace, labels: { 'point-alarm-service/may-call': 'true' } },
  ]);
});

test('each autoscaler scales a Deployment', () => {
  const autoscalers = ofKind('HorizontalPodAutoscaler', resourcesOf('components/autoscaling'));
  expect(autoscalers.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(pods.map(({ name }) => name));
});

test('the files that the overlay names are those that it brings', () => {
  const [api] = pods;
  expect(api?.settings).toMatchObject({ GRANTS_FILE: 'config/grants.json' });
  expect(kustomizationOf('overlays/production').configMapGenerator).toContainEqual(
    expect.objectContaining({ name: 'point-alarm-files', files: ['grants.json'] }),
  );
});

const secrets = {
  'redis-url': 'rediss://:secret@redis.example:6380',
  'redis-sentinel-password': 'secret',
  'payload-key': `k1:${Buffer.alloc(32).toString('base64')}`,
  'temporal-api-key': 'key',
  'authorizer-token': 'token',
};
/** Settings that hold what only some may know; the URL of Redis may hold its password. */
const SECRET = [
  ...['REDIS_URL', 'REDIS_SENTINEL_PASSWORD', 'PAYLOAD_KEY', 'TEMPORAL_API_KEY', 'AUTHORIZER_TOKEN'],
  'TEMPORAL_TLS_CLIENT_KEY_DATA',
];
/** What an overlay sets where Redis is found by Sentinels. */
const sentinels = { REDIS_SENTINELS: 'sentinel.example:26379', REDIS_SENTINEL_MASTER: 'point-alarm' };

const tables = { 'point-alarm-api': namesOf('api'), 'point-alarm-worker': namesOf('worker') } as const;

describe.each(pods)('the settings of a pod of $name', ({ name, deployment, container: { env } }) => {
  const environment = { ...podEnvironment(deployment, maps, secrets), ...sentinels };

  test('are those that the process looks at, and valid with all secrets', () => {
    const table = tables[name as keyof typeof tables];
    expect(Object.keys(environment).length).toBeGreaterThan(6);
    expect(Object.keys(environment).filter((variable) => !table.includes(variable))).toEqual([]);
    expect(readers[name as keyof typeof readers](environment)).toMatchObject({ _tag: 'Right' });
  });

  test('get secrets by reference alone, of which all but the address of Redis are optional', () => {
    const plain = [
      ...maps.flatMap(({ data }) => Object.keys(data)),
      ...env.flatMap((one) => ('value' in one ? one.name : [])),
    ];
    expect(plain.filter((variable) => SECRET.includes(variable))).toEqual([]);
    const referenced = env.flatMap((one) =>
      'valueFrom' in one ? [[one.name, one.valueFrom.secretKeyRef] as const] : [],
    );
    for (const [variable, { name: secret, key, optional = false }] of referenced) {
      expect([variable, secret, optional]).toEqual([variable, 'point-alarm', variable !== 'REDIS_URL']);
      expect(secrets).toHaveProperty(key);
      expect(SECRET).toContain(variable);
    }
  });
});
