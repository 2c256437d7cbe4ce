/** The command that waiting for replicas needs of a Redis client. */
export interface ReplicaWaiter {
  /** How many replicas have what this connection wrote, once they are as many or the time (ms) has passed. */
  readonly wait: (replicas: number, timeoutMs: number) => Promise<number>;
}

/** A WAIT holds up all that follows it on its connection, pings and publish intents too: hence short ones (ms), repeated. */
const WAIT_MS = 50;
const WAITS = 10;

/**
 * Resolves once `required` replicas have all that this connection wrote before the call, rejects after half a second.
 *
 * One WAIT covers every write before it, so those who ask while one is in flight share the next one.
 */
export const createReplicated = (redis: ReplicaWaiter, required: number): (() => Promise<void>) => {
  let current: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    let replicas = 0;
    for (let tries = 0; tries < WAITS; tries += 1) {
      replicas = await redis.wait(required, WAIT_MS);
      if (replicas >= required) return;
    }
    throw new Error(`${replicas} of ${required} replicas have the events`);
  };
  const begin = (): Promise<void> => {
    const begun = round().finally(() => {
      if (current === begun) current = undefined;
    });
    current = begun;
    return begun;
  };
  return () => {
    if (required === 0) return Promise.resolve();
    if (current === undefined) return begin();
    following ??= current
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return begin();
      });
    return following;
  };
};
