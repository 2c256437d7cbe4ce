import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { dependencies } from '../../../package.json';
import { projectRoot } from '../../../dev/stack/project-root';

test('the callers of the Kubernetes tier need no more packages than the image has', async () => {
  const { metafile } = await build({
    entryPoints: [join(projectRoot, 'test/kubernetes/callers.ts')],
    ...{ bundle: true, platform: 'node', packages: 'external', write: false, metafile: true, outdir: 'none' },
  });
  const wanted = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const packages = wanted
    .filter((path) => !path.startsWith('node:'))
    .map((path) => /^(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0]);
  expect(packages).toContain('undici');
  expect(packages.filter((name) => name !== undefined && !Object.hasOwn(dependencies, name))).toEqual([]);
});
