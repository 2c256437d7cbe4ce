import type { TestProject } from 'vitest/node';
import { bringUpServers } from '../../../dev/stack/servers';
import { openGround } from '../ground';

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
  const ground = openGround('test');
  const servers = await bringUpServers({ ...ground.servers, env: process.env }, ground);
  provide('temporalAddress', servers.temporal.address);
  provide('redisUrl', servers.redis.url);
  return async () => {
    await servers.stop();
    await ground.close();
  };
};
