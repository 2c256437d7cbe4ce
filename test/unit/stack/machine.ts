import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onPath } from '../../../dev/stack/environment';
import type { Ground } from '../../../dev/stack/ground';
import { folderOfTest } from '../../support/temporary-folder';

/** A machine whose PATH and cache folder hold only what is put there; `sh` and what the scripts need are there. */
export interface Machine {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Puts a shell script at `path` below the machine's folder; says where. */
  readonly script: (path: string, body: string) => string;
}

const TOOLS = ['sh', 'cat', 'chmod', 'mkdir', 'sleep', 'touch'];

export const emptyMachine = (): Machine => {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'bin'));
  for (const tool of TOOLS) {
    const path = onPath(tool, process.env);
    if (path !== undefined) symlinkSync(path, join(folder, 'bin', tool));
  }
  return {
    folder,
    // No download gets through: nothing listens on port 9.
    env: {
      PATH: join(folder, 'bin'),
      HOME: folder,
      HTTPS_PROXY: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
    },
    script: (path, body) => {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!${join(folder, 'bin', 'sh')}\n${body}\n`);
      chmodSync(file, 0o755);
      return file;
    },
  };
};

/** A command that tells this version, as Temporal's does. */
export const sayingVersion = (version: string): string => `echo "temporal version ${version}"`;

/** A ground that keeps what was reported, cleans up after nobody and never gives up. */
export const quietGround = (lines: Array<string> = []): Ground => ({
  report: (part, line) => void lines.push(`${part}: ${line}`),
  watchdog: {
    pid: undefined,
    watch: () => undefined,
    release: () => undefined,
    remove: () => undefined,
    forget: () => undefined,
    close: () => Promise.resolve(),
  },
  signal: new AbortController().signal,
});
