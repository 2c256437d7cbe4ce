import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  kubernetesFolder,
  kustomizedFolders,
  manifestsIn,
  ofKind,
  patchesOf,
  resourcesOf,
} from '../../support/deploy/manifests';
import { publishedSchemas, type Manifest } from '../../support/deploy/published-schemas';

const folders = kustomizedFolders();
const releases = publishedSchemas();

test('there are two releases of Kubernetes, and the base, its components and an overlay', () => {
  expect(releases.map(({ release }) => release)).toEqual(['kubernetes-v1.35.4', 'kubernetes-v1.37.2']);
  expect([...folders].sort()).toEqual([
    'base',
    'components/autoscaling',
    'components/forwarder',
    'components/monitoring',
    'components/redis-exporter',
    'overlays/production',
  ]);
});

describe.each(releases)('$release', ({ faultsOf, faultsOfPatch }) => {
  test.each(folders)('takes the manifests of %s', (folder) => {
    expect(resourcesOf(folder).flatMap(faultsOf)).toEqual([]);
    expect(patchesOf(folder).flatMap(faultsOfPatch)).toEqual([]);
  });

  test('takes the policies of Temporal and Redis, which are applied by themselves', () => {
    const policies = manifestsIn(readFileSync(join(kubernetesFolder, 'temporal-redis-policies.yaml'), 'utf8'));
    expect(policies.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'NetworkPolicy']);
    expect(policies.flatMap(faultsOf)).toEqual([]);
  });

  const [deployment] = ofKind('Deployment', resourcesOf('base'));
  const [monitor] = resourcesOf('components/monitoring');
  const broken: ReadonlyArray<readonly [string, Manifest | undefined, (text: string) => string]> = [
    ['a misspelt member', deployment, (text) => text.replace('"readinessProbe"', '"readyProbe"')],
    ['a value of another type', deployment, (text) => text.replace('"maxSkew":1', '"maxSkew":"1"')],
    ['a member that is missing', deployment, (text) => text.replace(/"selector":\{"matchLabels":\{[^}]*\}\},/u, '')],
    ['a kind that there is not', deployment, (text) => text.replace('apps/v1', 'apps/v1beta1')],
    ['a misspelt member of a custom resource', monitor, (text) => text.replace('podMetricsEndpoints', 'endpoints')],
  ];
  test.each(broken)('refuses %s', (_, manifest, spoil) => {
    const text = JSON.stringify(manifest);
    expect(faultsOf(JSON.parse(text) as Manifest)).toEqual([]);
    expect(spoil(text)).not.toBe(text);
    expect(faultsOf(JSON.parse(spoil(text)) as Manifest)).not.toEqual([]);
  });
});
