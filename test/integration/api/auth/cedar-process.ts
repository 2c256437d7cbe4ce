import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portChooser, testPort } from '../../../../stack/free-ports';
import { replaceByRename, until } from '../../../unit/api/auth/tokens';

/** The decision point of the examples as a process of its own. */
export interface CedarProcess {
  readonly url: string;
  /** Resolves once these grants, and no others, are in force. */
  readonly grant: (grants: ReadonlyArray<object>) => Promise<void>;
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

export interface CedarOptions {
  readonly nodes: ReadonlyArray<object>;
  readonly token?: string;
}

export const startCedar = async ({ nodes, token }: CedarOptions): Promise<CedarProcess> => {
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-cedar-'));
  const [hierarchyFile, grantsFile] = [join(folder, 'hierarchy.json'), join(folder, 'grants.json')];
  await replaceByRename(hierarchyFile, { nodes });
  await replaceByRename(grantsFile, { grants: [] });
  const port = await portChooser('127.0.0.1')(testPort());
  const env = {
    PATH: process.env['PATH'],
    AUTHZEN_PORT: String(port),
    HIERARCHY_FILE: hierarchyFile,
    GRANTS_FILE: grantsFile,
    ...(token !== undefined && { AUTHZEN_TOKEN: token }),
  };
  let child: ChildProcess;
  let said = '';
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, ['--import', 'tsx', 'examples/authzen-cedar/server.ts'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (said += data.toString()));
    await saying('AUTHORIZER_URL');
  };
  const saying = (words: string, from = 0): Promise<void> =>
    until(() => said.includes(words, from), 30_000).catch((error: unknown) => {
      throw new Error(`the decision point (exit ${child.exitCode}, ${child.signalCode}) says: ${said}`, {
        cause: error,
      });
    });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    grant: async (grants) => {
      const from = said.length;
      await replaceByRename(grantsFile, { grants });
      await saying('are read again', from);
    },
    signal: (signal) => void child.kill(signal),
    kill,
    start,
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
};
