import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../dev/stack/project-root';

/** A project of somebody else, which has the package as `npm pack` makes it. */
export interface OtherProject {
  readonly folder: string;
  readonly write: (path: string, text: string) => void;
  /** What a command there prints. Errors: its output, unless it ends with exit code 0. */
  readonly run: (command: string, args: ReadonlyArray<string>) => string;
  readonly remove: () => void;
}

/** All that the client may need, and the types of Node. */
export const DEPENDENCIES = ['fp-ts', 'io-ts', '@types/node', 'undici-types'];

/** Packs this project, built already, and unpacks it as the dependency of a project of its own. */
export const createOtherProject = (dependencies = DEPENDENCIES): OtherProject => {
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-project-'));
  const at = (...names: ReadonlyArray<string>): string => join(folder, ...names);
  const run = (command: string, args: ReadonlyArray<string>, cwd = folder): string => {
    try {
      return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`);
    }
  };
  const archive = run(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    projectRoot,
  ).trim();
  const installed = at('node_modules', 'point-alarm-service');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', at(archive), '-C', installed, '--strip-components=1']);
  for (const name of dependencies) {
    mkdirSync(dirname(at('node_modules', name)), { recursive: true });
    symlinkSync(join(projectRoot, 'node_modules', name), at('node_modules', name));
  }
  return {
    folder,
    write: (path, text) => writeFileSync(at(path), text),
    run: (command, args) => run(command, args),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** All TypeScript that a document shows, block by block. */
export const programsIn = (document: string): ReadonlyArray<string> =>
  [...readFileSync(join(projectRoot, document), 'utf8').matchAll(/^```ts\n(.*?)^```$/gmsu)].map(
    ([, shown = '']) => shown,
  );
