import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../dev/stack/project-root';
import { bundleWorkflows } from '../../worker/workflow-code';

const SOURCES = ['worker/workflow-code.ts', 'package-lock.json'];

/** What the bundle is made of. */
const sourcesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(projectRoot, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const bundled = async (): Promise<{ readonly code: string }> => {
  const hash = createHash('sha256');
  for (const file of [...SOURCES.map((name) => join(projectRoot, name)), ...sourcesOf('workflows')])
    hash.update(file).update('\0').update(readFileSync(file));
  const folder = join(projectRoot, 'node_modules/.cache/workflows');
  const kept = join(folder, `${hash.digest('hex').slice(0, 16)}.js`);
  if (existsSync(kept)) return { code: readFileSync(kept, 'utf8') };
  const made = await bundleWorkflows();
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${kept}.${process.pid}`, made.code);
  renameSync(`${kept}.${process.pid}`, kept);
  return made;
};

let released: Promise<{ readonly code: string }> | undefined;

/** The workflow code as it stands, bundled once for all tests and runs: it takes three seconds. */
export const releasedWorkflows = (): Promise<{ readonly code: string }> => (released ??= bundled());
