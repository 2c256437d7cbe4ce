import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../../../dev/stack/free-ports';
import { projectRoot } from '../../../../dev/stack/project-root';
import { startRunning, type Running } from '../../../../dev/stack/running';
import { openGround } from '../../../support/ground';
import { replaceByRename } from '../../../unit/api/auth/tokens';

/** The decision point of the examples as a process of its own. */
export interface CedarProcess extends Running {
  /** Resolves once these grants, and no others, are in force. */
  readonly grant: (grants: ReadonlyArray<object>) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export type CedarOptions = { readonly nodes: ReadonlyArray<object>; readonly token?: string };

export const startCedar = async ({ nodes, token }: CedarOptions): Promise<CedarProcess> => {
  const ground = openGround('cedar');
  const { folder } = ground;
  const [hierarchyFile, grantsFile] = [join(folder, 'hierarchy.json'), join(folder, 'grants.json')];
  await replaceByRename(hierarchyFile, { nodes });
  await replaceByRename(grantsFile, { grants: [] });
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'],
    AUTHZEN_PORT: String(port),
    HIERARCHY_FILE: hierarchyFile,
    GRANTS_FILE: grantsFile,
    ...(token !== undefined && { AUTHZEN_TOKEN: token }),
  };
  const log = join(folder, 'cedar.log');
  const said = (): string => readFileSync(log, 'utf8');
  const args = ['--import', 'tsx', 'docs/examples/authzen-cedar/server.ts'];
  const plan = { name: 'the decision point', command: process.execPath, args, folder: projectRoot, env, log };
  const url = `http://127.0.0.1:${port}`;
  const probe = async (): Promise<void> => void (await fetch(url));
  const running = await startRunning({ ...plan, url, probe }, ground);
  await running.ready();
  return {
    ...running,
    grant: async (grants) => {
      const from = said().length;
      await replaceByRename(grantsFile, { grants });
      await vi.waitUntil(() => said().includes('are read again', from), 30_000);
    },
    remove: async () => {
      await running.kill();
      await ground.close();
    },
  };
};
