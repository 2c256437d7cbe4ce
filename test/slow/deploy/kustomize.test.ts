import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiSettings, workerSettings } from '../../../process/settings';
import { kustomizeCommand } from '../../support/deploy/kustomize-command';
import { isConfigMap, isDeployment, kubernetesFolder, manifestsIn } from '../../support/deploy/manifests';
import { podEnvironment } from '../../support/deploy/pod-environment';
import { publishedSchemas } from '../../support/deploy/published-schemas';

let kustomize = '';
beforeAll(() => {
  kustomize = kustomizeCommand();
});

const rendered = (folder: string) =>
  manifestsIn(execFileSync(kustomize, ['build', join(kubernetesFolder, folder)], { encoding: 'utf8' }));

describe.each(['base', 'overlays/production'])('what kustomize makes of %s', (folder) => {
  test.each(publishedSchemas())('is valid by $release', ({ faultsOf }) => {
    const manifests = rendered(folder);
    expect(manifests.length).toBeGreaterThan(10);
    expect(manifests.flatMap(faultsOf)).toEqual([]);
  });
});

test('the overlay gives both processes valid settings, a namespace and an image of a registry', () => {
  const manifests = rendered('overlays/production');
  const maps = manifests.filter(isConfigMap);
  const [api, worker, ...others] = manifests.filter(isDeployment);
  if (api === undefined || worker === undefined) throw new Error('there are not two Deployments');
  expect(others).toEqual([]);
  const secrets = { 'redis-url': 'redis://redis:6379' };
  expect(apiSettings(podEnvironment(api, maps, secrets))).toMatchObject({
    right: { temporal: { namespace: 'point-alarm' }, auth: { audience: 'point-alarm' } },
  });
  expect(workerSettings(podEnvironment(worker, maps, secrets))).toMatchObject({
    right: { temporal: { namespace: 'point-alarm' }, capacity: { cachedWorkflows: 2_000 } },
  });
  for (const { metadata, spec } of [api, worker]) {
    expect(metadata).toMatchObject({ namespace: 'point-alarm' });
    expect(spec.template.spec.containers[0]).toMatchObject({ image: 'registry.example/point-alarm-service:0.1.0' });
  }
});

test('where there are autoscalers, no Deployment says how many', () => {
  const replicasIn = (folder: string) =>
    rendered(folder)
      .filter(isDeployment)
      .map(({ spec }) => spec.replicas);
  expect(replicasIn('base')).toEqual([2, 2]);
  expect(replicasIn('overlays/production')).toEqual([undefined, undefined]);
});

test('a changed setting gives its map a new name, and so new pods; the files keep theirs', () => {
  const names = rendered('overlays/production')
    .filter(isConfigMap)
    .map(({ metadata }) => metadata.name.replace(/-[a-z0-9]{10}$/u, '-HASH'));
  expect(names).toEqual([
    'point-alarm-api-HASH',
    'point-alarm-files',
    'point-alarm-settings-HASH',
    'point-alarm-worker-HASH',
  ]);
});
