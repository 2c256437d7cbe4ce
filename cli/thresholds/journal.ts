import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import * as E from 'fp-ts/Either';
import { isRecord } from '../../workflows/domain/codecs';

/** The completed lines of an import; kept in a file, it lets a repeat continue where the last one stopped. */
export interface Journal {
  /** Names the import: part of its keys, so another import of the same file is not taken for a repeat of this one. */
  readonly importId: string;
  readonly isDone: (key: string) => boolean;
  readonly add: (entry: JournalEntry) => void;
}

export interface JournalEntry {
  readonly line: number;
  readonly node: string;
  readonly key: string;
}

/** A journal that is forgotten with the process. */
export const inMemory = (): Journal => ({ importId: randomUUID(), isDone: () => false, add: () => undefined });

/**
 * Opens the journal `file`, a JSON document a line, or begins it. Its first line is on the disk before anything is sent:
 * a repeat must find the same keys. A last line that was cut off counts as not written.
 *
 * Errors: in one line, why `file` is no journal.
 */
export const openJournal = (file: string): E.Either<string, Journal> => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [head, ...entries] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  if (head === undefined || head === '') {
    return text === '' || text.startsWith(HEAD)
      ? E.right(begin(file))
      : E.left(`${file} is not the journal of an import`);
  }
  const importId = memberOf(head, 'import');
  if (importId === undefined) return E.left(`${file} is not the journal of an import`);
  if (!text.endsWith('\n')) appendFileSync(file, '\n');
  return E.right(journal(file, importId, new Set(entries.flatMap((entry) => memberOf(entry, 'key') ?? []))));
};

/** Deletes the journal. */
export const removeJournal = (file: string): void => {
  rmSync(file, { force: true });
};

const HEAD = '{"import":';

const begin = (file: string): Journal => {
  const importId = randomUUID();
  const handle = openSync(file, 'w');
  writeSync(handle, `${JSON.stringify({ import: importId })}\n`);
  fsyncSync(handle);
  closeSync(handle);
  return journal(file, importId, new Set());
};

const journal = (file: string, importId: string, done: ReadonlySet<string>): Journal => ({
  importId,
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
