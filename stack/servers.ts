import type { Ground, ServersPlan } from './ground';
import { bringUpRedis, type Redis } from './redis';
import { bringUpTemporal, type Temporal } from './temporal';

/** Temporal and Redis, ready. Several of these may run side by side. */
export interface Servers {
  readonly temporal: Temporal;
  readonly redis: Redis;
  /** Stops those that are ours, both at once: SIGTERM, and SIGKILL after eight seconds. */
  readonly stop: () => Promise<void>;
}

const GRACE_MS = 8_000;

/** Brings up both, one after the other. Errors: a fault; what was started by then is stopped. */
export const bringUpServers = async (plan: ServersPlan, ground: Ground): Promise<Servers> => {
  const temporal = await bringUpTemporal(plan, ground);
  try {
    const redis = await bringUpRedis(plan, ground);
    return { temporal, redis, stop: () => stopOwn([temporal, redis]) };
  } catch (thrown) {
    await stopOwn([temporal]);
    throw thrown;
  }
};

const stopOwn = async (servers: ReadonlyArray<Temporal | Redis>): Promise<void> => {
  await Promise.all(servers.flatMap(({ own }) => (own === undefined ? [] : [own.stop(GRACE_MS)])));
};
