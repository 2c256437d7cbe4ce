import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiSettings, workerSettings } from '../../../process/settings';
import { projectRoot } from '../../../dev/stack/project-root';
import { onPath } from '../../../dev/stack/environment';
import { cachedCommandPath } from '../../../dev/stack/temporal-command';
import { ofKind, kubernetesFolder, manifestsIn, podEnvironment } from '../../support/deploy/manifests';
import { publishedSchemas } from '../../support/deploy/published-schemas';
import { folderOfTest } from '../../support/temporary-folder';

const VERSION = '5.8.1';

/** `kustomize`: that on PATH, else the one kept from before, else built from dev/tools/kustomize. Errors: no way to get it. */
const kustomizeCommand = (): string => {
  const found = onPath('kustomize', process.env);
  if (found !== undefined) return found;
  const kept = join(
    dirname(cachedCommandPath(process.env)),
    `kustomize-${VERSION}-${process.platform}-${process.arch}`,
  );
  if (!existsSync(kept)) build(kept);
  return kept;
};

/** Builds in a folder beside `kept` and renames: two at once do each other no harm. */
const build = (kept: string): void => {
  const go = onPath('go', process.env);
  if (go === undefined) throw new Error('there is neither kustomize 5 nor go on PATH: install one of them');
  mkdirSync(dirname(kept), { recursive: true });
  const folder = mkdtempSync(`${kept}-`);
  try {
    const made = join(folder, 'kustomize');
    execFileSync(go, ['build', '-trimpath', '-buildvcs=false', '-o', made, 'sigs.k8s.io/kustomize/kustomize/v5'], {
      cwd: join(projectRoot, 'dev/tools/kustomize'),
      env: { ...process.env, GOWORK: 'off' },
      stdio: 'pipe',
    });
    renameSync(made, kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

let kustomize = '';
beforeAll(() => {
  kustomize = kustomizeCommand();
});

const rendered = (folder: string, below = kubernetesFolder) =>
  manifestsIn(execFileSync(kustomize, ['build', join(below, folder)], { encoding: 'utf8' }));

describe.each(['base', 'overlays/production'])('what kustomize makes of %s', (folder) =>
  test.each(publishedSchemas())('is valid by $release', ({ faultsOf }) => {
    const manifests = rendered(folder);
    expect(manifests.length).toBeGreaterThan(10);
    expect(manifests.flatMap(faultsOf)).toEqual([]);
  }),
);

test('the overlay gives both processes valid settings, a namespace and an image of a registry', () => {
  const manifests = rendered('overlays/production');
  const maps = ofKind('ConfigMap', manifests);
  const [api, worker, ...others] = ofKind('Deployment', manifests);
  if (api === undefined || worker === undefined) throw new Error('there are not two Deployments');
  expect(others).toEqual([]);
  const secrets = { 'redis-url': 'redis://redis:6379' };
  expect(apiSettings(podEnvironment(api, maps, secrets))).toMatchObject({
    right: { temporal: { namespace: 'point-alarm' }, AUTH_AUDIENCE: 'point-alarm' },
  });
  expect(workerSettings(podEnvironment(worker, maps, secrets))).toMatchObject({
    right: { temporal: { namespace: 'point-alarm' }, MAX_CACHED_WORKFLOWS: 2_000 },
  });
  for (const { metadata, spec } of [api, worker]) {
    expect(metadata).toMatchObject({ namespace: 'point-alarm' });
    expect(spec.template.spec.containers[0]).toMatchObject({ image: 'registry.example/point-alarm-service:0.1.0' });
  }
});

test('the overlay with the forwarder gives it the image, the namespace, the settings and the secret of the others', () => {
  const folder = folderOfTest();
  cpSync(kubernetesFolder, folder, { recursive: true });
  const file = join(folder, 'overlays/production/kustomization.yaml');
  const overlay = readFileSync(file, 'utf8');
  writeFileSync(file, overlay.replace('# - ../../components/forwarder', '- ../../components/forwarder'));
  const manifests = rendered('overlays/production', folder);
  for (const { faultsOf } of publishedSchemas()) expect(manifests.flatMap(faultsOf)).toEqual([]);
  const forwarder = ofKind('Deployment', manifests).find(({ metadata: { name } }) => name.includes('forward'));
  if (forwarder === undefined) throw new Error('there is no forwarder');
  expect(forwarder.metadata).toMatchObject({ namespace: 'point-alarm' });
  expect(forwarder.spec).toMatchObject({ replicas: 2 });
  expect(forwarder.spec.template.spec.containers[0]).toMatchObject({
    image: 'registry.example/point-alarm-service:0.1.0',
  });
  const secrets = { 'redis-url': 'redis://redis:6379' };
  expect(podEnvironment(forwarder, ofKind('ConfigMap', manifests), secrets)).toMatchObject({
    ...{ REDIS_URL: 'redis://redis:6379', TEMPORAL_NAMESPACE: 'point-alarm' },
  });
});

test('where there are autoscalers, no Deployment says how many', () => {
  const replicasIn = (folder: string) => ofKind('Deployment', rendered(folder)).map(({ spec }) => spec.replicas);
  expect(replicasIn('base')).toEqual([2, 2]);
  expect(replicasIn('overlays/production')).toEqual([undefined, undefined]);
});

test('a changed setting gives its map a new name, and so new pods; the files keep theirs', () => {
  const names = ofKind('ConfigMap', rendered('overlays/production')).map(({ metadata }) =>
    metadata.name.replace(/-[a-z0-9]{10}$/u, '-HASH'),
  );
  expect(names).toEqual([
    'point-alarm-api-HASH',
    'point-alarm-files',
    'point-alarm-settings-HASH',
    'point-alarm-worker-HASH',
  ]);
});
