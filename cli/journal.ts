import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import * as E from 'fp-ts/Either';
import { isRecord } from '../workflows/domain/codecs';

/** What a long command has done so far; kept in a file, it lets a repeat go on where the last one stopped. */
export interface Journal {
  /** Names the work: part of its keys, so the same work begun anew is not taken for a repeat of this one. */
  readonly id: string;
  readonly isDone: (key: string) => boolean;
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
 * Opens the journal `file`, a JSON document a line, or begins it. Its first line is on the disk before anything is sent:
 * a repeat must find the same keys. A last line that was cut off counts as not written.
 *
 * Errors: in one line, why `file` is no journal of that kind.
 */
export const openJournal = (kind: Kind, file: string): E.Either<string, Journal> => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [head, ...entries] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const other = E.left(`${file} is not the journal of ${kind === 'import' ? 'an import' : 'a republication'}`);
  if (head === undefined || head === '')
    return text === '' || text.startsWith(`{"${kind}":`) ? E.right(begin(kind, file)) : other;
  const id = memberOf(head, kind);
  if (id === undefined) return other;
  if (!text.endsWith('\n')) appendFileSync(file, '\n');
  return E.right(journal(file, id, new Set(entries.flatMap((entry) => memberOf(entry, 'key') ?? []))));
};

/** Removes the journal, so that the work begins anew. */
export const removeJournal = (file: string): void => {
  rmSync(file, { force: true });
};

const begin = (kind: Kind, file: string): Journal => {
  const id = randomUUID();
  const handle = openSync(file, 'w');
  writeSync(handle, `${JSON.stringify({ [kind]: id })}\n`);
  fsyncSync(handle);
  closeSync(handle);
  return journal(file, id, new Set());
};

const journal = (file: string, id: string, done: ReadonlySet<string>): Journal => ({
  id,
  isDone: (key) => done.has(key),
  add: (entry) => {
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
  },
});

const memberOf = (line: string, name: string): string | undefined => {
  const json = E.tryCatch((): unknown => JSON.parse(line), String);
  const value = E.isRight(json) && isRecord(json.right) ? json.right[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};
