import { randomUUID } from 'node:crypto';
import { accessSync, appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/Either';
import { inParallel } from '../process/in-parallel';
import { isAlive, knownProcess, takeLock } from '../process/pid-lock.cjs';
import { isRecord } from '../workflows/domain/codecs';
import { CommandFailure, exitCodes, unusable, writeOrFail, type ExitCode } from './failure';
import { readBytes } from './input';
import type { CommandContext } from './command-context';

/*
 * Work on thousands of items, such as the lines of an import. It continues after the failure of an item, shows its progress,
 * and keeps a journal: a file from which a repeat of the command learns which items are done.
 */

/** How many items are finished, and the failure that ended the work early (`stoppedBy`), if there is one. */
export interface Tally {
  readonly done: number;
  /** Items that an earlier run of the same command completed. */
  readonly before: number;
  readonly failed: number;
  readonly stoppedBy?: CommandFailure;
}

/** What became of an item. `before`: an earlier run of the command completed it. `left`: the work stopped before the item. */
export type ItemOutcome = 'done' | 'before' | 'failed' | 'left';

type Perform<A> = (item: A, mayContinue: () => boolean) => Promise<ItemOutcome>;

const NOTHING: Tally = { done: 0, before: 0, failed: 0 };

/** Runs `perform` on items, `atOnce` at a time, until none is left, `signal` aborts or `perform` throws a `CommandFailure`. */
export const processItems = async <A>(
  items: ReadonlyArray<A>,
  atOnce: number,
  perform: Perform<A>,
  signal: AbortSignal,
  onProgress: (tally: Tally) => void,
): Promise<Tally> => {
  let tally = NOTHING;
  const mayContinue = (): boolean => tally.stoppedBy === undefined && !signal.aborted;
  const processItem = async (item: A): Promise<void> => {
    try {
      const outcome = await perform(item, mayContinue);
      if (outcome === 'left') return;
      tally = { ...tally, [outcome]: tally[outcome] + 1 };
    } catch (thrown) {
      if (!(thrown instanceof CommandFailure)) throw thrown;
      tally = { ...tally, stoppedBy: thrown };
    }
    onProgress(tally);
  };
  await inParallel(items, atOnce, processItem, mayContinue);
  return tally;
};

/**
 * Works through `items` and shows the progress. At the end it prints a summary, reports what ended the work early, and returns
 * the exit code. `begin` makes the function that handles an item, and gets a `report` that keeps the progress bar intact.
 * `end` gets the tally and the number of unhandled items, and returns the counts of the summary and the notes below them.
 */
export const runLongWork = async <A>(
  context: CommandContext,
  items: ReadonlyArray<A>,
  atOnce: number,
  begin: (report: (line: string) => void) => Perform<A>,
  end: (tally: Tally, left: number) => { counts: ReadonlyArray<string>; notes?: ReadonlyArray<string> },
): Promise<ExitCode> => {
  const { print, report, interrupted: signal } = context;
  const progress = showProgress(context, items.length);
  const tally = await processItems(items, atOnce, begin(progress.report), signal, progress.show);
  progress.stop();
  const left = items.length - handledOf(tally);
  const { failed, stoppedBy } = tally;
  const { counts, notes = [] } = end(tally, left);
  print([...counts, ...(left > 0 ? [`${left} left`] : [])].join(', '));
  [...notes, ...(stoppedBy?.lines ?? [])].forEach(report);
  if (left === 0) return failed > 0 ? exitCodes.someFailed : exitCodes.done;
  report('stopped early; the same command goes on from here');
  if (stoppedBy === undefined) return exitCodes.interrupted;
  return stoppedBy.exitCode === exitCodes.someFailed ? exitCodes.notReachable : stoppedBy.exitCode;
};

const handledOf = ({ done, before, failed }: Tally): number => done + before + failed;

export interface Journal {
  /** Id of the work, a part of all its idempotency keys and update ids: work begun anew must not count as a repeat. */
  readonly id: string;
  /** The last entry about a node, or undefined if there is none. */
  readonly last: (node: string) => Entry | undefined;
  /** Errors: throws a `CommandFailure` if the file cannot be written. */
  readonly add: (entry: Entry & { readonly line?: number }) => void;
  /** Releases the lock of the file, if it has one. */
  readonly close: () => void;
}

/** A line of the journal: what was done for a node. */
interface Entry {
  readonly node: string;
  readonly key: string;
  /** The key of the last earlier entry about this node whose key differs from `key`. */
  readonly before?: string;
  /** Set in the entry before a call. If no entry without it follows, it is unknown whether the call took effect. */
  readonly sent?: true;
}

type Kind = 'import' | 'republish';

/**
 * Opens the journal `file` (one JSON document per line) or, if it is missing or `again` is set, begins a new one. The first
 * line, with the id of the work, is on disk before anything is sent, because a repeat must build the same keys from this id.
 * A last line that was cut off is ignored. Without `file`, nothing is recorded.
 *
 * Errors: throws a `CommandFailure` if `file` is not a journal of this kind, cannot be read or written, or belongs to a
 * process that still runs.
 */
export const openJournal = async (kind: Kind, file: string | undefined, again: boolean): Promise<Journal> => {
  if (file === undefined)
    return { id: randomUUID(), last: () => undefined, add: () => undefined, close: () => undefined };
  const close = lockJournal(file);
  try {
    return { ...(await readJournal(kind, file, again)), close };
  } catch (thrown) {
    close();
    throw thrown;
  }
};

/** Locks `file` until the process ends. Returns the function that unlocks. Errors: throws if locked. */
const lockJournal = (file: string): (() => void) => {
  const lock = `${file}.lock`;
  const holders = writeOrFail(file, () => {
    accessSync(dirname(file));
    return takeLock(lock, [knownProcess(process.pid)]);
  });
  const holder = holders?.find(isAlive);
  if (holders !== undefined)
    throw unusable(`${file} is in use by process ${holder?.pid ?? 0}: wait for it, or name another by --journal`);
  const close = (): void => {
    process.off('exit', close);
    rmSync(lock, { force: true });
  };
  process.on('exit', close);
  return close;
};

const readJournal = async (kind: Kind, file: string, again: boolean): Promise<Omit<Journal, 'close'>> => {
  const text = existsSync(file) ? (await readBytes({ folder: '/' }, file)).toString() : '';
  const [head = '', ...entries] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const id = memberOf(head, kind);
  const isBarelyBegun = head === '' && (text === '' || text.startsWith(`{"${kind}":`));
  const isHeadless = again && memberOf(head, 'key') !== undefined;
  if (id === undefined && !isBarelyBegun && !isHeadless)
    throw unusable(`${file} is not the journal of ${kind === 'import' ? 'an import' : 'a republication'}`);
  const isContinued = id !== undefined && !again;
  const last = new Map(isContinued ? entries.flatMap(entryIn) : []);
  if (isContinued && !text.endsWith('\n')) append(file, '\n');
  return {
    id: isContinued ? id : begin(kind, file),
    last: (node) => last.get(node),
    add: (entry) => {
      append(file, `${JSON.stringify(entry)}\n`);
      last.set(entry.node, entry);
    },
  };
};

export const removeJournal = (file: string): void => writeOrFail(file, () => rmSync(file, { force: true }));

const begin = (kind: Kind, file: string): string => {
  const id = randomUUID();
  writeOrFail(file, () => writeFileSync(file, `${JSON.stringify({ [kind]: id })}\n`, { flush: true }));
  return id;
};

const append = (file: string, text: string): void => writeOrFail(file, () => appendFileSync(file, text));

const recordIn = (line: string): Readonly<Record<string, unknown>> => {
  const json = E.tryCatch((): unknown => JSON.parse(line), String);
  return E.isRight(json) && isRecord(json.right) ? json.right : {};
};

const memberOf = (line: string, name: string): string | undefined => {
  const value = recordIn(line)[name];
  return typeof value === 'string' ? value : undefined;
};

const entryIn = (line: string): ReadonlyArray<readonly [node: string, Entry]> => {
  const { node, key, before, sent } = recordIn(line);
  if (typeof node !== 'string' || typeof key !== 'string') return [];
  return [[node, { node, key, ...(typeof before === 'string' && { before }), ...(sent === true && { sent }) }]];
};

const REDRAW_MS = 100;
const LINE_MS = 5_000;
const WIDEST = 30;
const CLEARED = '\r\u001b[K';

/** Shows the progress of the work: as a bar if standard error is a terminal, otherwise as a line every five seconds. */
export const showProgress = (
  { reportScreen: screen, report }: Pick<CommandContext, 'reportScreen' | 'report'>,
  total: number,
) => {
  const began = performance.now();
  const lineOf = (tally: Tally): string => progressLine(tally, total, performance.now() - began);
  const isDue = createThrottle(screen === undefined ? LINE_MS : REDRAW_MS);
  if (screen === undefined)
    return { show: (tally: Tally) => void (isDue() && report(lineOf(tally))), report, stop: () => undefined };
  let drawn = '';
  /** Overwrites one line, which is never wider than the terminal. Nothing else on the terminal changes or must be restored. */
  const draw = (tally: Tally): void => {
    const { columns } = screen.size();
    const text = lineOf(tally).slice(0, columns - 1);
    const width = Math.max(0, Math.min(WIDEST, columns - text.length - 2));
    const full = Math.floor((width * handledOf(tally)) / Math.max(1, total));
    const bar = width > 0 ? `${'█'.repeat(full)}${'░'.repeat(width - full)} ` : '';
    drawn = `${CLEARED}${bar}${text}`;
    screen.write(drawn);
  };
  draw(NOTHING);
  return {
    show: (tally: Tally) => void (isDue() && draw(tally)),
    report: (line: string): void => screen.write(`${CLEARED}${line}\n${drawn}`),
    stop: (): void => screen.write(CLEARED),
  };
};

/** Returns a function that returns true at most once per `ms`, and false until the first `ms` have passed. */
export const createThrottle = (ms: number): (() => boolean) => {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
};

const ESTIMATE_AFTER_MS = 2_000;

/** The progress after `ms` as text, with an estimate of the remaining time that assumes the speed so far. */
export const progressLine = (tally: Tally, total: number, ms: number): string => {
  const handled = handledOf(tally);
  const now = handled - tally.before;
  const left =
    ms >= ESTIMATE_AFTER_MS && now > 0 && handled < total ? `, ${timeOf((ms / now) * (total - handled))} to go` : '';
  return `${handled} of ${total}, ${tally.failed} failed${left}`;
};

const timeOf = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
};
