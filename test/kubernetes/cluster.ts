import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { build } from 'esbuild';
import { stringify } from 'yaml';
import { developmentKey, developmentToken, ISSUER } from '../../dev/stack/dev-auth';
import { freePort } from '../../dev/stack/free-ports';
import { projectRoot } from '../../dev/stack/project-root';
import { addRow } from '../chaos/rows';
import { seed } from '../chaos/seed';
import { NODE, shell } from '../support/documents/tier-commands';
import type { Outcome, Played } from './callers';

/** The namespaces that the documents and Temporal's chart name, and so this tier's. */
export const NAMESPACES = ['point-alarm', 'temporal', 'redis'];
const OVERLAY = 'deploy/kubernetes/overlays/production';
const IMAGE = 'registry.example/point-alarm-service:0.1.0';
const REDIS_URL = 'redis://:password@by-sentinel';
const SENTINELS = [0, 1, 2].map((at) => `sentinel-${at}.sentinel.redis:26379`).join();

/** A resource as `kubectl get --output json` shows it, as far as the tests look at it. */
export interface Resource {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly unschedulable?: boolean };
  readonly status: {
    readonly conditions?: ReadonlyArray<{
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
    }>;
    readonly podIP?: string;
    readonly nodeInfo?: Readonly<Record<'kubeletVersion' | 'containerRuntimeVersion', string>>;
  };
}

export const list = async (what: string): Promise<ReadonlyArray<Resource>> =>
  (JSON.parse(await shell(`kubectl get ${what} --output json`)) as { readonly items: ReadonlyArray<Resource> }).items;

type ScenarioPlan = Partial<Played> & Pick<Played, 'name'>;

/** The service on a cluster, and callers in a pod of it. */
export interface Cluster {
  /** What the commands of a document print, with this tier's image, overlay and Redis. */
  readonly documented: (script: string) => Promise<string>;
  /** A folder of this tier's, which goes with it. */
  readonly folder: string;
  /** Starts the callers' pod, once the service is there. */
  readonly startCallers: () => Promise<void>;
  /** Plays a scenario; `fault` ends when the fault has ended. */
  readonly play: (plan: ScenarioPlan, fault: () => Promise<unknown>) => Promise<Outcome>;
  /** The nodes that take pods, the one with Temporal and Redis first. */
  readonly nodes: ReadonlyArray<string>;
  readonly remove: () => Promise<void>;
}

/** Waits until all of a namespace's Deployments and StatefulSets are as they should be. */
export const waitForRollouts = (namespace: string, within = '300s'): Promise<string> =>
  shell(`kubectl -n ${namespace} get deployments,statefulsets --output name |
    xargs -I {} kubectl -n ${namespace} rollout status {} --timeout=${within}`);

/** Brings up Temporal and Redis. Errors: no cluster answers, or it has the namespaces already. */
export const bringUpBacking = async (): Promise<Cluster> => {
  const nodes = (
    await list('nodes').catch((cause: unknown) => {
      throw new Error('npm run test:kubernetes needs kubectl, and a cluster that KUBECONFIG names', { cause });
    })
  ).filter(({ spec }) => spec.unschedulable !== true);
  const taken = (await list('namespaces'))
    .map(({ metadata }) => metadata.name)
    .filter((name) => NAMESPACES.includes(name));
  if (taken.length > 0)
    throw new Error(`the cluster has the namespaces ${taken.join()} already, which this tier makes and removes`);
  const { gitVersion } = (JSON.parse(await shell('kubectl version --output json')) as Versions).serverVersion;
  const kinds = nodes.map(
    ({ status }) => `${status.nodeInfo?.kubeletVersion} on ${status.nodeInfo?.containerRuntimeVersion}`,
  );
  console.log(`Kubernetes ${gitVersion}; nodes: ${kinds.join(', ')}`);
  const [first = '', ...others] = nodes.map(({ metadata }) => metadata.name);
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-kubernetes-'));
  await shell(`
    kubectl label node ${first} --overwrite point-alarm-test/backing=true
    kubectl create namespace temporal
    kubectl -n temporal create configmap temporal-scripts --from-file deploy/compose
    kubectl apply -f test/kubernetes/backing`);
  await Promise.all([waitForRollouts('temporal'), waitForRollouts('redis')]);
  const hasOperator = (await shell('kubectl api-resources --api-group monitoring.coreos.com --output name')) !== '';
  if (!hasOperator) console.log('untried: the cluster has no Prometheus operator');
  await writeOverlay(folder, hasOperator);
  const callers = callersIn(folder);
  const port = await freePort();
  const env = { TOKEN: await developmentToken(folder, { user: randomUUID(), ttlSeconds: 86_400 }), NODE };
  return {
    documented: (script) =>
      shell(
        script
          .replaceAll(`kubectl apply -k ${OVERLAY}`, `kubectl apply -k ${folder}`)
          .replaceAll(/rediss:\/\/:password@[\w.:]+/gu, REDIS_URL)
          .replaceAll(/registry\.example\/point-alarm-service:[\d.]+/gu, image())
          .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
          .replaceAll(' 3000:80', ` ${port}:80`)
          // The chart runs Temporal's services apart, this tier as one; its cluster has room for two workers.
          .replaceAll('temporal-frontend temporal-history temporal-matching temporal-worker', 'temporal')
          .replaceAll('deployment temporal --replicas=2', 'deployment temporal --replicas=1')
          .replaceAll('--replicas=10', '--replicas=2'),
        { env },
      ),
    folder,
    startCallers: callers.start,
    play: callers.play,
    nodes: [first, ...others],
    remove: async () => {
      callers.end();
      await shell(`kubectl delete namespace ${NAMESPACES.join(' ')} --ignore-not-found
        kubectl label node ${first} point-alarm-test/backing-`);
      rmSync(folder, { recursive: true });
    },
  };
};

type Versions = { readonly serverVersion: { readonly gitVersion: string } };

/** The image that the cluster can have: that of the overlay, or `POINT_ALARM_IMAGE`. */
const image = (): string => process.env['POINT_ALARM_IMAGE'] ?? IMAGE;

/** The production overlay with the addresses and keys of this tier, and less processor time, so that a small cluster takes it. */
const writeOverlay = async (folder: string, hasOperator: boolean): Promise<void> => {
  const { jwksFile } = await developmentKey(folder);
  const settings = (kind: string, name: string, data: Readonly<Record<string, string>>) => ({
    target: { kind, name },
    patch: JSON.stringify(Object.entries(data).map(([key, value]) => ({ op: 'add', path: `/data/${key}`, value }))),
  });
  const requests = '/spec/template/spec/containers/0/resources/requests';
  const [, newName, newTag] = /^(.+):([^:/]+)$/u.exec(image()) ?? [];
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(folder, join(projectRoot, OVERLAY))],
    images: [{ name: IMAGE.replace(/:.*/u, ''), newName, newTag }],
    patches: [
      {
        target: { kind: 'Deployment' },
        patch: JSON.stringify([{ op: 'replace', path: `${requests}/cpu`, value: '100m' }]),
      },
      settings('ConfigMap', 'point-alarm-settings', {
        ...{ REDIS_SENTINELS: SENTINELS, REDIS_SENTINEL_MASTER: 'point-alarm', REDIS_REPLICAS_REQUIRED: '1' },
      }),
      settings('ConfigMap', 'point-alarm-api', {
        ...{ AUTH_JWKS_URL: '', AUTH_JWKS_FILE: 'config/jwks.json', AUTH_ISSUER: ISSUER },
      }),
      settings('ConfigMap', 'point-alarm-files', {
        'jwks.json': readFileSync(jwksFile, 'utf8'),
        'grants.json': JSON.stringify({ grants: [{ user: '*', actions: ['*'], node: '*' }] }),
      }),
      ...(hasOperator
        ? []
        : ['PodMonitor', 'PrometheusRule'].map((kind) => ({ target: { kind }, patch: removal(kind) }))),
    ],
  };
  writeFileSync(join(folder, 'kustomization.yaml'), stringify(overlay));
};

const removal = (kind: string): string =>
  JSON.stringify({ apiVersion: 'monitoring.coreos.com/v1', kind, metadata: { name: 'any' }, $patch: 'delete' });

/** The callers of callers.yaml, which play scenarios one after the other. */
const callersIn = (folder: string) => {
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let said: AsyncIterator<string> | undefined;
  let played = 0;
  const next = async (): Promise<unknown> => {
    const { value, done } = (await said?.next()) ?? { value: '', done: true };
    if (done === true) throw new Error('the callers have ended');
    const parsed = JSON.parse(value) as { readonly broken?: string };
    if (parsed.broken !== undefined) throw new Error(parsed.broken);
    return parsed;
  };
  const ended = async (): Promise<Outcome> => {
    child?.stdin.write('ended\n');
    return (await next()) as Outcome;
  };
  return {
    start: async (): Promise<void> => {
      const outfile = join(folder, 'callers.cjs');
      const entryPoints = [join(__dirname, 'callers.ts')];
      await build({ entryPoints, outfile, bundle: true, platform: 'node', packages: 'external' });
      const files = ['callers.cjs', 'jwks.json', 'private.jwk.json'].map((name) => `--from-file ${join(folder, name)}`);
      await shell(`
        kubectl -n point-alarm create configmap callers ${files.join(' ')}
        sed 's#${IMAGE}#${image()}#' test/kubernetes/callers.yaml | kubectl apply -f -
        kubectl -n point-alarm wait --for=condition=Ready pod/callers --timeout=120s`);
      const line = ['-n', 'point-alarm', 'exec', '-i', 'callers', '--', 'node', '/files/callers.cjs', '/files'];
      child = spawn('kubectl', line, { stdio: ['pipe', 'pipe', 'inherit'] });
      said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    },
    play: async (plan: ScenarioPlan, fault: () => Promise<unknown>): Promise<Outcome> => {
      played += 1;
      const whole: Played = { seed: seed + played, callers: 8, pauseMs: 150, keyed: 0.5, ...plan };
      child?.stdin.write(`${JSON.stringify(whole)}\n`);
      await next();
      try {
        await fault();
      } catch (thrown) {
        await ended().catch(() => undefined); // the next scenario begins with callers that wait for it
        throw thrown;
      }
      const outcome = await ended();
      addRow(outcome.row);
      return outcome;
    },
    end: (): void => void child?.stdin.end(),
  };
};
