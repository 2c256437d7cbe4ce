import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` when it is the turn of `userId`. */
export type InTurn = <A>(userId: string, work: () => A) => Promise<A>;

/**
 * Runs work that blocks the process for milliseconds: one piece at a time, followed by a pause as long as it took. So half
 * of the time is left for other calls, and each of them waits for at most one piece. Users take turns, however much work
 * each of them has.
 */
export const createTurns = (): InTurn => {
  const waiting = new Map<string, Array<() => void>>();
  let isAtWork = false;
  const drive = async (): Promise<void> => {
    isAtWork = true;
    for (const [userId, [next, ...others]] of waiting) {
      waiting.delete(userId);
      if (others.length > 0) waiting.set(userId, others); // to the end of the line; a Map's iteration includes entries added meanwhile
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
