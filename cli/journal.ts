import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import * as E from 'fp-ts/Either';
import { reasonOf } from '../process/reason-of';
import { isRecord } from '../workflows/domain/codecs';
import { CommandError, unusable, writing } from './command-failure';

/** What a long command has done so far; kept in a file, it lets a repeat go on where the last one stopped. */
export interface Journal {
  /** Names the work: part of its keys, so the same work begun anew is not taken for a repeat of this one. */
  readonly id: string;
  readonly isDone: (key: string) => boolean;
  /** Errors: it throws a `CommandError` where the file cannot be written. */
  readonly add: (entry: JournalEntry) => void;
}

export interface JournalEntry {
  readonly line?: number;
  readonly node: string;
  readonly key: string;
}

/** The commands that keep a journal. */
type Kind = 'import' | 'republish';

/** A journal that ends with the process. */
export const inMemory = (): Journal => ({ id: randomUUID(), isDone: () => false, add: () => undefined });

/**
 * Opens the journal `file`, a JSON document a line, or begins it, as it does with any `again`. Its first line is on the disk
 * before anything is sent: a repeat must find the same keys. A last line that was cut off counts as not written.
 *
 * Errors: it throws a `CommandError` where `file` is no journal of that kind, or cannot be read or written.
 */
export const openJournal = (kind: Kind, file: string, again: boolean): Journal => {
  const text = textOf(file);
  const [head = '', ...entries] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const id = memberOf(head, kind);
  const isBarelyBegun = head === '' && (text === '' || text.startsWith(`{"${kind}":`));
  if (id === undefined && !isBarelyBegun)
    throw new CommandError(
      unusable(`${file} is not the journal of ${kind === 'import' ? 'an import' : 'a republication'}`),
    );
  if (id === undefined || again) return begin(kind, file);
  if (!text.endsWith('\n')) append(file, '\n');
  return journal(file, id, new Set(entries.flatMap((entry) => memberOf(entry, 'key') ?? [])));
};

/** Removes the journal, so that the work begins anew. */
export const removeJournal = (file: string): void => {
  writing(file, () => {
    rmSync(file, { force: true });
  });
};

const textOf = (file: string): string => {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch (thrown) {
    throw new CommandError(unusable(`${file} cannot be read: ${reasonOf(thrown)}`));
  }
};

const begin = (kind: Kind, file: string): Journal => {
  const id = randomUUID();
  writing(file, () => {
    const handle = openSync(file, 'w');
    writeSync(handle, `${JSON.stringify({ [kind]: id })}\n`);
    fsyncSync(handle);
    closeSync(handle);
  });
  return journal(file, id, new Set());
};

const journal = (file: string, id: string, done: ReadonlySet<string>): Journal => ({
  id,
  isDone: (key) => done.has(key),
  add: (entry) => {
    append(file, `${JSON.stringify(entry)}\n`);
  },
});

const append = (file: string, text: string): void => {
  writing(file, () => {
    appendFileSync(file, text);
  });
};

const memberOf = (line: string, name: string): string | undefined => {
  const json = E.tryCatch((): unknown => JSON.parse(line), String);
  const value = E.isRight(json) && isRecord(json.right) ? json.right[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};
