import { randomBytes } from 'node:crypto';
import { within } from '../../process/within';

/** The commands that notes need of a Redis client. */
export interface NoteKeeper {
  readonly isReady: boolean;
  readonly zAdd: (key: string, member: { readonly score: number; readonly value: string }) => Promise<number>;
  readonly zRem: (key: string, members: string[]) => Promise<number>;
  readonly zRangeWithScores: (
    key: string,
    min: number,
    max: number,
    options: { readonly BY: 'SCORE'; readonly LIMIT: { readonly offset: number; readonly count: number } },
  ) => Promise<ReadonlyArray<{ readonly value: string; readonly score: number }>>;
  readonly set: (key: string, value: string, options: { readonly EX: number }) => Promise<unknown>;
  readonly exists: (key: string) => Promise<number>;
}

/** A promise of a process to publish what a node is about to commit. */
export interface Note {
  readonly text: string;
  readonly nodeId: string;
  /** Epoch ms. */
  readonly since: number;
}

/** The notes of all API processes, in Redis: what a process that died owes is seen by the others. */
export interface Notes {
  /** Rejects when it is not known to be written in time; one that is written later is forsaken. */
  readonly write: (nodeId: string) => Promise<Note>;
  /** A note that cannot be removed does no harm: it is found forsaken later. */
  readonly remove: (notes: ReadonlyArray<Note>) => Promise<void>;
  /** Leaves a note whose group has an unknown fate to whoever looks for forsaken ones, this process too. */
  readonly forsake: (note: Note) => void;
  /** Says that this process lives; to be said more often than every `ALIVE_S`. */
  readonly stayAlive: () => Promise<void>;
  /** Notes older than `ms` that nobody sees to: their process died, or it is this one and no longer at it. */
  readonly forsaken: (ms: number) => Promise<ReadonlyArray<Note>>;
}

/** So long Redis may take for a note (ms). */
const PATIENCE_MS = 700;
/** Seconds that a process counts as alive after it last said so. */
const ALIVE_S = 6;
/** The most notes that are looked at at once. */
const MOST = 10_000;

/**
 * Notes beside `stream`: the sorted set `<stream>:notes` of `process|node|id` by time, and the key `<stream>:alive:<process>`.
 */
export const createNotes = (redis: NoteKeeper, stream: string): Notes => {
  const us = newId();
  const key = `${stream}:notes`;
  const aliveKey = (process: string): string => `${stream}:alive:${process}`;
  const underWay = new Set<string>();
  const isSeenTo = async (note: Note): Promise<boolean> => {
    const [process = ''] = note.text.split('|');
    return process === us ? underWay.has(note.text) : (await redis.exists(aliveKey(process))) > 0;
  };
  return {
    write: async (nodeId) => {
      if (!redis.isReady) throw new Error('Redis is away');
      const note = { text: `${us}|${nodeId}|${newId()}`, nodeId, since: Date.now() };
      underWay.add(note.text);
      try {
        await within(PATIENCE_MS, redis.zAdd(key, { score: note.since, value: note.text }));
        return note;
      } catch (error) {
        underWay.delete(note.text);
        throw error;
      }
    },
    remove: async (notes) => {
      for (const { text } of notes) underWay.delete(text);
      if (notes.length === 0) return;
      await redis.zRem(
        key,
        notes.map(({ text }) => text),
      );
    },
    forsake: ({ text }) => {
      underWay.delete(text);
    },
    stayAlive: async () => {
      await redis.set(aliveKey(us), '1', { EX: ALIVE_S });
    },
    forsaken: async (ms) => {
      const old = await redis.zRangeWithScores(key, 0, Date.now() - ms, {
        BY: 'SCORE',
        LIMIT: { offset: 0, count: MOST },
      });
      const notes = old.map(({ value, score }) => ({ text: value, nodeId: value.split('|')[1] ?? '', since: score }));
      const seenTo = await Promise.all(notes.map(isSeenTo));
      return notes.filter((_, index) => seenTo[index] === false);
    },
  };
};

const newId = (): string => randomBytes(6).toString('base64url');
