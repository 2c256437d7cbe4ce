import { setTimeout as sleep } from 'node:timers/promises';

/** Does `work` when it is the turn of `userId`. */
export type InTurn = <A>(userId: string, work: () => A) => Promise<A>;

/**
 * Work that keeps the process from all else for milliseconds is done one at a time, and is followed by a rest as long as it
 * took. So however much of it comes, half of the time is left to others, and nobody waits for more than one piece. Users
 * take turns: one who has much to do is one of many.
 */
export const createTurns = (): InTurn => {
  const waiting = new Map<string, Array<() => void>>();
  let isAtWork = false;
  const drive = async (): Promise<void> => {
    isAtWork = true;
    for (const [userId, [next, ...others]] of waiting) {
      waiting.delete(userId);
      if (others.length > 0) waiting.set(userId, others); // behind all others; a Map goes on to what is added meanwhile
      const began = performance.now();
      next?.();
      await sleep(performance.now() - began);
    }
    isAtWork = false;
  };
  return (userId, work) =>
    new Promise((resolve, reject) => {
      const piece = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      waiting.set(userId, [...(waiting.get(userId) ?? []), piece]);
      if (!isAtWork) void drive();
    });
};
