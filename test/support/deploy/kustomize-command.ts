import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../../stack/project-root';
import { onPath } from '../../../stack/run-command';
import { keptPath } from '../../../stack/temporal-command';

const VERSION = '5.8.1';

/** `kustomize`: that on PATH, else the one kept from before, else built from tools/kustomize. Errors: no way to get it. */
export const kustomizeCommand = (): string => {
  const found = onPath('kustomize', process.env);
  if (found !== undefined) return found;
  const kept = join(dirname(keptPath(process.env)), `kustomize-${VERSION}-${process.platform}-${process.arch}`);
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
      cwd: join(projectRoot, 'tools/kustomize'),
      env: { ...process.env, GOWORK: 'off' },
      stdio: 'pipe',
    });
    renameSync(made, kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
