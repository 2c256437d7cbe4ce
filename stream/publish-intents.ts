import { randomBytes } from 'node:crypto';
import { withTimeout } from '../process/timeout';

/** The Redis commands that publish intents use. */
export interface IntentStore {
  readonly isReady: boolean;
  readonly zAdd: (key: string, member: Scored, options?: { readonly condition: 'XX' }) => Promise<number>;
  readonly zRem: (key: string, members: string[]) => Promise<number>;
  readonly zRangeWithScores: (
    key: string,
    min: number,
    max: number,
    options: { readonly BY: 'SCORE'; readonly LIMIT: { readonly offset: number; readonly count: number } },
  ) => Promise<ReadonlyArray<Scored>>;
  readonly set: (key: string, value: string, options: { readonly EX: number }) => Promise<unknown>;
  /** Milliseconds until the key expires; negative if there is no such key. */
  readonly pTTL: (key: string) => Promise<number>;
  /** Epoch time in seconds, and the microseconds of the second. */
  readonly time: () => Promise<ReadonlyArray<string>>;
}

interface Scored {
  readonly value: string;
  readonly score: number;
}

/** A write-ahead record in Redis: a process is going to publish the events that a node is about to commit. */
export interface PublishIntent {
  readonly text: string;
  readonly nodeId: string;
}

/** Time (ms) that writing an intent may take. */
const WRITE_MS = 700;
/** Expiry (s) of the liveness key, with which a process shows the others that it runs. */
const ALIVE_S = 6;
/** The most intents that one search for orphaned intents reads. */
const MOST = 10_000;
/** A reading of Redis' clock counts only if its round trip took less than this time (ms), which also bounds its error. */
const CLOCK_MS = 500;

export type PublishIntents = ReturnType<typeof createPublishIntents>;

/**
 * The publish intents of all API processes, dead ones included. The sorted set `<stream>:intents` holds `process|node|id`,
 * scored by the time of writing. Each process has a liveness key `<stream>:alive:<process>`. All times are by Redis' clock,
 * because that of a process may be wrong. If Redis' clock is set back, intents with a later time get the present one, and
 * liveness keys with a later expiry do not count.
 */
export const createPublishIntents = (redis: { readonly client: IntentStore }, stream: string) => {
  const ownProcess = newId();
  const key = `${stream}:intents`;
  const aliveKey = (process: string): string => `${stream}:alive:${process}`;
  const inFlight = new Set<string>();
  /** Redis' clock (epoch ms) minus `performance.now()`. Until Redis answers, the clock of this process stands in for it. */
  let offset = Date.now() - performance.now();
  const now = (): number => Math.round(performance.now() + offset);
  const readClock = async (): Promise<void> => {
    const asked = performance.now();
    const [seconds = '', micros = ''] = await redis.client.time();
    const answered = performance.now();
    if (answered - asked < CLOCK_MS) offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (asked + answered) / 2;
  };
  /**
   * Whether this process, or another one that is alive, works on the intent. A liveness key that has more than `ALIVE_S` left
   * does not count: it was written before Redis' clock was set back, and a live process would have renewed it since.
   */
  const isOwned = async ({ text }: PublishIntent): Promise<boolean> => {
    const [process = ''] = text.split('|');
    if (process === ownProcess) return inFlight.has(text);
    const ms = await redis.client.pTTL(aliveKey(process));
    return ms >= 0 && ms <= ALIVE_S * 1_000;
  };
  const scoredBetween = (min: number, max: number) =>
    redis.client.zRangeWithScores(key, min, max, { BY: 'SCORE', LIMIT: { offset: 0, count: MOST } });
  return {
    /** Rejects if Redis does not confirm the intent in time. If Redis writes the intent later, it counts as orphaned. */
    write: async (nodeId: string): Promise<PublishIntent> => {
      if (!redis.client.isReady) throw new Error('Redis is unavailable');
      const intent = { text: `${ownProcess}|${nodeId}|${newId()}`, nodeId };
      inFlight.add(intent.text);
      try {
        await withTimeout(WRITE_MS, redis.client.zAdd(key, { score: now(), value: intent.text }));
        return intent;
      } catch (error) {
        inFlight.delete(intent.text);
        throw error;
      }
    },
    /** Removes intents. A failure (it rejects) does no harm, because `orphaned` finds the intents later. */
    remove: async (intents: ReadonlyArray<PublishIntent>): Promise<void> => {
      const texts = intents.map(({ text }) => text);
      for (const text of texts) inFlight.delete(text);
      if (texts.length > 0) await redis.client.zRem(key, texts);
    },
    /**
     * Gives up an intent whose group of commands has an unknown outcome, so that `orphaned` finds it: in this process from now
     * on, in other processes only once this one is dead.
     */
    orphan: ({ text }: PublishIntent): void => void inFlight.delete(text),
    /** Renews the liveness key of this process, which expires after `ALIVE_S`, and reads Redis' clock. */
    refreshLiveness: async (): Promise<void> => {
      await Promise.all([redis.client.set(aliveKey(ownProcess), '1', { EX: ALIVE_S }), readClock()]);
    },
    /** The intents older than `ms` that no process works on: their process died, or this one gave them up. */
    orphaned: async (ms: number) => {
      const at = now();
      const [old, ahead] = await Promise.all([scoredBetween(0, at - ms), scoredBetween(at + CLOCK_MS, Infinity)]);
      // Intents with a time in the future get the present one. `XX`: ZADD must not add removed intents again.
      await Promise.all(ahead.map(({ value }) => redis.client.zAdd(key, { score: at, value }, { condition: 'XX' })));
      const intents = old.map(({ value: text, score }) => ({
        text,
        nodeId: text.split('|')[1] ?? '',
        ageMs: at - score,
      }));
      const owned = await Promise.all(intents.map(isOwned));
      return intents.filter((_, index) => owned[index] === false);
    },
  };
};

const newId = (): string => randomBytes(6).toString('base64url');
