import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { portChooser, testPort } from '../../../stack/free-ports';
import { silent } from '../../../stack/report';
import { bringUpServers } from '../../../stack/servers';
import { startWatchdog } from '../../../stack/watchdog';
import { foundCommands } from '../found-commands';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the Temporal server that the integration tests share; the namespace is `default`. */
    readonly temporalAddress: string;
    /** Address of the Redis server that they share: name streams so that tests do not meet. */
    readonly redisUrl: string;
  }
}

/** One Temporal and one Redis for all integration tests of a run, on free ports; both and their files go with it. */
export const setup = async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-test-'));
  const watchdog = startWatchdog();
  watchdog.remove(folder);
  const end = new AbortController();
  const servers = await bringUpServers(
    {
      env: process.env,
      folder,
      logs: folder,
      keepRedis: 'memory',
      ports: { temporal: testPort(), ui: testPort(), redis: testPort() },
      choosePort: portChooser('127.0.0.1'),
      commands: foundCommands(process.env),
    },
    { report: silent, watchdog, signal: end.signal },
  );
  provide('temporalAddress', servers.temporal.address);
  provide('redisUrl', servers.redis.url);
  return async () => {
    await servers.stop();
    await watchdog.close();
    await rm(folder, { recursive: true, force: true });
  };
};
