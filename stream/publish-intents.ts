import { randomBytes } from 'node:crypto';
import { within } from '../process/within';

/** The commands that publish intents need of a Redis client. */
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
  /** Milliseconds until the key expires; negative: there is none. */
  readonly pTTL: (key: string) => Promise<number>;
  /** Epoch time in seconds, and the microseconds of the second. */
  readonly time: () => Promise<ReadonlyArray<string>>;
}

interface Scored {
  readonly value: string;
  readonly score: number;
}

/** A write-ahead record: a process is going to publish what a node is about to commit. */
export interface PublishIntent {
  readonly text: string;
  readonly nodeId: string;
}

/** Time (ms) that writing an intent may take. */
const WRITE_MS = 700;
/** Expiry (s) of the liveness key of a process. */
const ALIVE_S = 6;
/** Page size of the search for orphaned intents. */
const MOST = 10_000;
/** Longest round trip (ms) by which the clock of Redis is read; the error of a reading is below it. */
const CLOCK_MS = 500;

export type PublishIntents = ReturnType<typeof createPublishIntents>;

/**
 * The publish intents of all API processes, those of dead ones too, beside `stream`: the sorted set `<stream>:intents`
 * of `process|node|id` by time, and the key `<stream>:alive:<process>`. Times are Redis' own: the clock of a process may be wrong.
 * Where Redis' own was set back, intents that are ahead of it begin to age anew, and liveness keys that are, count no more.
 */
export const createPublishIntents = (link: { readonly client: IntentStore }, stream: string) => {
  const us = newId();
  const key = `${stream}:intents`;
  const aliveKey = (process: string): string => `${stream}:alive:${process}`;
  const inFlight = new Set<string>();
  /** What Redis' clock (epoch ms) is ahead of the steady one; as this process believes, until it was read. */
  let offset = Date.now() - performance.now();
  const now = (): number => Math.round(performance.now() + offset);
  const readClock = async (): Promise<void> => {
    const asked = performance.now();
    const [seconds = '', micros = ''] = await link.client.time();
    const answered = performance.now();
    if (answered - asked < CLOCK_MS) offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (asked + answered) / 2;
  };
  /** A key that outlasts its expiry was written before Redis' clock was set back: a process that lives has written it again. */
  const isOwned = async ({ text }: PublishIntent): Promise<boolean> => {
    const [process = ''] = text.split('|');
    if (process === us) return inFlight.has(text);
    const ms = await link.client.pTTL(aliveKey(process));
    return ms >= 0 && ms <= ALIVE_S * 1_000;
  };
  const scoredBetween = (min: number, max: number) =>
    link.client.zRangeWithScores(key, min, max, { BY: 'SCORE', LIMIT: { offset: 0, count: MOST } });
  return {
    /** Rejects when it is not known to be written in time; one that is written later is orphaned. */
    write: async (nodeId: string): Promise<PublishIntent> => {
      if (!link.client.isReady) throw new Error('Redis is unavailable');
      const intent = { text: `${us}|${nodeId}|${newId()}`, nodeId };
      inFlight.add(intent.text);
      try {
        await within(WRITE_MS, link.client.zAdd(key, { score: now(), value: intent.text }));
        return intent;
      } catch (error) {
        inFlight.delete(intent.text);
        throw error;
      }
    },
    /** An intent that cannot be removed does no harm: it is found orphaned later. */
    remove: async (intents: ReadonlyArray<PublishIntent>): Promise<void> => {
      const texts = intents.map(({ text }) => text);
      for (const text of texts) inFlight.delete(text);
      if (texts.length > 0) await link.client.zRem(key, texts);
    },
    /** Gives up the ownership of an intent, whose group has an unknown outcome: `orphaned` finds it, in this process too. */
    orphan: ({ text }: PublishIntent): void => void inFlight.delete(text),
    /** Renews the liveness key of this process, which expires after `ALIVE_S`, and reads Redis' clock. */
    stayAlive: async (): Promise<void> => {
      await Promise.all([link.client.set(aliveKey(us), '1', { EX: ALIVE_S }), readClock()]);
    },
    /** Intents older than `ms` without an owner: their process died, or this one gave them up. */
    orphaned: async (ms: number) => {
      const at = now();
      const [old, ahead] = await Promise.all([scoredBetween(0, at - ms), scoredBetween(at + CLOCK_MS, Infinity)]);
      // The condition: an intent that was removed meanwhile stays so.
      await Promise.all(ahead.map(({ value }) => link.client.zAdd(key, { score: at, value }, { condition: 'XX' })));
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
