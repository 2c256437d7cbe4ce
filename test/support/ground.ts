import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setting } from '../../dev/stack/environment';

import { type Ground, startWatchdog } from '../../dev/stack/ground';
import type { ServersPlan } from '../../dev/stack/servers';

/** Where a test starts processes of its own: a folder, which goes with them even when this process dies. */
export interface TestGround extends Ground {
  readonly folder: string;
  /** Servers of its own on free ports, their files and logs in the folder. */
  readonly servers: Omit<ServersPlan, 'env'>;
  /** Ends what still runs, and removes the folder unless it is to be kept. */
  readonly close: () => Promise<void>;
}

export const openGround = (name: string, isKept = false): TestGround => {
  const folder = mkdtempSync(join(tmpdir(), `point-alarm-${name}-`));
  const watchdog = startWatchdog();
  if (!isKept) watchdog.remove(folder);
  return {
    folder,
    report: () => undefined,
    watchdog,
    signal: new AbortController().signal,
    servers: { folder, logs: folder, keepRedis: 'memory', commands: foundCommands(process.env) },
    close: async () => {
      await watchdog.close();
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** The commands of Temporal and Redis that `npm test` found already. */
export const foundCommands = (env: NodeJS.ProcessEnv): { readonly temporal?: string; readonly redis?: string } => {
  const [temporal, redis] = [setting(env, 'POINT_ALARM_TEMPORAL_CLI'), setting(env, 'POINT_ALARM_REDIS_SERVER')];
  return { ...(temporal !== undefined && { temporal }), ...(redis !== undefined && { redis }) };
};
