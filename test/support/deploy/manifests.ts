import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { projectRoot } from '../../../stack/project-root';
import type { Manifest } from './published-schemas';

export const kubernetesFolder = join(projectRoot, 'deploy/kubernetes');

/** The members of a kustomization that the tests look at. */
export interface Kustomization {
  readonly resources?: ReadonlyArray<string>;
  readonly patches?: ReadonlyArray<{ readonly path?: string }>;
  readonly configMapGenerator?: ReadonlyArray<{
    readonly name: string;
    readonly literals?: ReadonlyArray<string>;
    readonly files?: ReadonlyArray<string>;
  }>;
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
}

interface SecretKey {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

type EnvironmentEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: { readonly secretKeyRef: SecretKey } };

export interface Container {
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

export interface Autoscaler extends Manifest {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly metrics: ReadonlyArray<{ readonly pods?: { readonly metric: { readonly name: string } } }>;
  };
}

export interface Service extends Manifest {
  readonly spec: { readonly selector: Readonly<Record<string, string>> };
}

export interface DisruptionBudget extends Manifest {
  readonly spec: { readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } };
}

export interface PrometheusRule extends Manifest {
  readonly spec: { readonly groups: ReadonlyArray<object> };
}

export interface ConfigMap extends Manifest {
  readonly data: Readonly<Record<string, string>>;
}

export const isDeployment = (manifest: Manifest): manifest is Deployment => manifest.kind === 'Deployment';
export const isAutoscaler = (manifest: Manifest): manifest is Autoscaler => manifest.kind === 'HorizontalPodAutoscaler';
export const isService = (manifest: Manifest): manifest is Service => manifest.kind === 'Service';
export const isDisruptionBudget = (manifest: Manifest): manifest is DisruptionBudget =>
  manifest.kind === 'PodDisruptionBudget';
export const isPrometheusRule = (manifest: Manifest): manifest is PrometheusRule => manifest.kind === 'PrometheusRule';
export const isConfigMap = (manifest: Manifest): manifest is ConfigMap => manifest.kind === 'ConfigMap';

/** The manifests of a text of YAML. Errors: one that names what is no YAML. */
export const manifestsIn = (text: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as Manifest;
  });

const readYaml = (folder: string, name: string): string => readFileSync(join(kubernetesFolder, folder, name), 'utf8');

/** The folders that hold a kustomization. */
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

/** The patches that a folder keeps in files. */
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
