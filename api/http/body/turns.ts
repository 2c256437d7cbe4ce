import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs `work` when it is the turn of `userId`. */
export type InTurn = <A>(userId: string, work: () => A) => Promise<A>;

/** A turn of the event loop that is shorter (ms) had no other work to do. */
const IDLE_TURN_MS = 0.2;

/**
 * Runs work that blocks the process for milliseconds, one piece at a time. While other work waits, each piece is followed by
 * a rest as long as it took: so half of the time is left for other calls, and each of them waits for at most one piece.
 * Where nothing else waits, the next piece follows at once. Users take turns, however much work each of them has.
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
      await rest(performance.now() - began);
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

/** Lets other work go on for at most `ms`, and ends as soon as there is none: two turns see all that came meanwhile. */
const rest = async (ms: number): Promise<void> => {
  const began = performance.now();
  let turnBegan = began;
  for (let idle = 0; idle < 2 && turnBegan - began < ms;) {
    await nextTurn();
    const now = performance.now();
    idle = now - turnBegan < IDLE_TURN_MS ? idle + 1 : 0;
    turnBegan = now;
  }
};
