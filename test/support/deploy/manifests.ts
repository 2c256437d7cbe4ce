import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { Environment } from '../../../process/settings';
import { projectRoot } from '../../../dev/stack/project-root';
import type { Manifest } from './published-schemas';

export const kubernetesFolder = join(projectRoot, 'deploy/kubernetes');

/** The members of a kustomization that the tests look at. */
interface Kustomization {
  readonly namespace?: string;
  readonly resources?: ReadonlyArray<string>;
  readonly patches?: ReadonlyArray<{ readonly path?: string }>;
  readonly configMapGenerator?: ReadonlyArray<{
    readonly name: string;
    readonly literals?: ReadonlyArray<string>;
    readonly files?: ReadonlyArray<string>;
  }>;
}

type Probe = { readonly httpGet: { readonly path: string; readonly port: string }; readonly periodSeconds: number };

type SecretKey = { readonly name: string; readonly key: string; readonly optional?: boolean };

type EnvironmentEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: { readonly secretKeyRef: SecretKey } };

interface Container {
  readonly name: string;
  readonly command: ReadonlyArray<string>;
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly envFrom: ReadonlyArray<{ readonly configMapRef: { readonly name: string } }>;
  readonly env: ReadonlyArray<EnvironmentEntry>;
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly requests: { readonly memory: string } };
}

export interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly [Container];
      };
    };
  };
}

interface ConfigMap extends Manifest {
  readonly data: Readonly<Record<string, string>>;
}

interface Kinds {
  readonly Deployment: Deployment;
  readonly HorizontalPodAutoscaler: Manifest & {
    readonly spec: {
      readonly scaleTargetRef: { readonly name: string };
      readonly metrics: ReadonlyArray<{ readonly pods?: { readonly metric: { readonly name: string } } }>;
    };
  };
  readonly Service: Manifest & { readonly spec: { readonly selector: Readonly<Record<string, string>> } };
  readonly PodDisruptionBudget: Manifest & {
    readonly spec: { readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } };
  };
  readonly NetworkPolicy: Manifest & {
    readonly spec: {
      readonly egress: ReadonlyArray<{
        readonly to?: ReadonlyArray<object>;
        readonly ports: ReadonlyArray<{ readonly port: number }>;
      }>;
    };
  };
  readonly PrometheusRule: Manifest & { readonly spec: { readonly groups: ReadonlyArray<object> } };
  readonly ConfigMap: ConfigMap;
}

export const ofKind = <K extends keyof Kinds>(kind: K, manifests: ReadonlyArray<Manifest>): ReadonlyArray<Kinds[K]> =>
  manifests.filter((manifest): manifest is Kinds[K] => manifest.kind === kind);

/** The manifests of a text of YAML. Errors: one that names what is no YAML. */
export const manifestsIn = (text: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as Manifest;
  });

const readYaml = (folder: string, name: string): string => readFileSync(join(kubernetesFolder, folder, name), 'utf8');

export const kustomizedFolders = (): ReadonlyArray<string> =>
  readdirSync(kubernetesFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/kustomization.yaml'))
    .map((path) => path.replace('/kustomization.yaml', ''));

export const kustomizationOf = (folder: string): Kustomization =>
  parse(readYaml(folder, 'kustomization.yaml')) as Kustomization;

/** The manifests that a folder adds, without those of the folders that it builds upon. */
export const resourcesOf = (folder: string): ReadonlyArray<Manifest> =>
  (kustomizationOf(folder).resources ?? [])
    .filter((path) => path.endsWith('.yaml'))
    .flatMap((path) => manifestsIn(readYaml(folder, path)));

export const patchesOf = (folder: string): ReadonlyArray<Manifest> =>
  (kustomizationOf(folder).patches ?? []).flatMap(({ path }) =>
    path === undefined ? [] : manifestsIn(readYaml(folder, path)),
  );

/** The maps of settings that these folders generate, each merged with those of its name before. */
export const generatedMaps = (folders: ReadonlyArray<string>): ReadonlyArray<ConfigMap> => {
  const maps = new Map<string, Readonly<Record<string, string>>>();
  for (const { name, literals = [] } of folders.flatMap((folder) => kustomizationOf(folder).configMapGenerator ?? []))
    maps.set(name, { ...maps.get(name), ...Object.fromEntries(literals.map(splitLiteral)) });
  return [...maps].map(([name, data]) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }));
};

const splitLiteral = (literal: string): readonly [string, string] => {
  const at = literal.indexOf('=');
  return [literal.slice(0, at), literal.slice(at + 1)];
};

/** What a Deployment's process finds set around it, `secrets` being what the referenced keys hold. */
export const podEnvironment = (
  { spec }: Deployment,
  maps: ReadonlyArray<ConfigMap>,
  secrets: Readonly<Record<string, string>>,
): Environment => {
  const [{ envFrom, env }] = spec.template.spec.containers;
  const ofMaps = envFrom.map(({ configMapRef: { name } }) => {
    const map = maps.find(({ metadata }) => metadata.name === name);
    if (map === undefined) throw new Error(`there is no ConfigMap ${name}`);
    return map.data;
  });
  const own = env.map((entry): readonly [string, string | undefined] => [
    entry.name,
    'value' in entry ? entry.value : secrets[entry.valueFrom.secretKeyRef.key],
  ]);
  return Object.assign({}, ...ofMaps, Object.fromEntries(own)) as Environment;
};
