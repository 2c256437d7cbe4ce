import { randomUUID } from 'node:crypto';
import { accessSync, appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/Either';
import { inParallel } from '../process/in-parallel';
import { isAlive, knownProcess, takeLock } from '../stack/pid-lock.cjs';
import { isRecord } from '../workflows/domain/codecs';
import { CommandFailure, exitCodes, unusable, writing, type ExitCode } from './failure';
import { readBytes } from './input';
import type { Surroundings } from './surroundings';

/*
 * Work on thousands of things, such as an import: it goes on over single failures, shows its progress, and keeps a journal by
 * which a repeat goes on where it stopped.
 */

/** How far the work is; `stoppedBy`: the failure that ended it early. */
export interface Tally {
  readonly done: number;
  /** By an earlier run of the same work. */
  readonly before: number;
  readonly failed: number;
  readonly stoppedBy?: CommandFailure;
}

/** What became of one item; one that was cut off by Ctrl-C is left. */
export type ItemOutcome = 'done' | 'before' | 'failed' | 'left';

type Perform<A> = (item: A, goesOn: () => boolean) => Promise<ItemOutcome>;

const NOTHING: Tally = { done: 0, before: 0, failed: 0 };

/** Performs the work on each item, `atOnce` at a time, until all are done, `signal` aborts, or a `CommandFailure` is thrown. */
export const workThrough = async <A>(
  items: ReadonlyArray<A>,
  atOnce: number,
  perform: Perform<A>,
  signal: AbortSignal,
  onProgress: (tally: Tally) => void,
): Promise<Tally> => {
  let tally = NOTHING;
  const goesOn = (): boolean => tally.stoppedBy === undefined && !signal.aborted;
  const take = async (item: A): Promise<void> => {
    try {
      const outcome = await perform(item, goesOn);
      if (outcome === 'left') return;
      tally = { ...tally, [outcome]: tally[outcome] + 1 };
    } catch (thrown) {
      if (!(thrown instanceof CommandFailure)) throw thrown;
      tally = { ...tally, stoppedBy: thrown };
    }
    onProgress(tally);
  };
  await inParallel(items, atOnce, take, goesOn);
  return tally;
};

/**
 * Works through `items` and shows how far it is, then prints what became of them, reports what ended it early, and answers its
 * exit code. `begin` gets where lines are reported meanwhile; `end` gets how many items are neither done nor failed, and answers
 * what is counted in one line, and notes below it.
 */
export const runLongWork = async <A>(
  surroundings: Surroundings,
  items: ReadonlyArray<A>,
  atOnce: number,
  begin: (report: (line: string) => void) => Perform<A>,
  end: (tally: Tally, left: number) => { counts: ReadonlyArray<string>; notes?: ReadonlyArray<string> },
): Promise<ExitCode> => {
  const { print, report, interrupted: signal } = surroundings;
  const progress = showProgress(surroundings, items.length);
  const tally = await workThrough(items, atOnce, begin(progress.report), signal, progress.show);
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
  /** Names the work: part of its keys, so the same work begun anew is not taken for a repeat of this one. */
  readonly id: string;
  /** The newest entry of a node. */
  readonly last: (node: string) => Entry | undefined;
  /** Errors: it throws a `CommandFailure` where the file cannot be written. */
  readonly add: (entry: Entry & { readonly line?: number }) => void;
  /** Lets others have the file. */
  readonly close: () => void;
}

/** What was done for a node. */
interface Entry {
  readonly node: string;
  readonly key: string;
  /** The key of the node's entry before, another one. */
  readonly before?: string;
  /** It was sent, and may have been done. */
  readonly sent?: true;
}

type Kind = 'import' | 'republish';

/**
 * Opens the journal `file`, a JSON document a line, or begins it, as it does with any `again`. Its first line is on the disk
 * before anything is sent: a repeat must find the same keys. A last line that was cut off counts as not written. Without a file
 * the journal ends with the process.
 *
 * Errors: it throws a `CommandFailure` where `file` is no journal of that kind, cannot be read or written, or is that of a
 * republication that runs.
 */
export const openJournal = async (kind: Kind, file: string | undefined, again: boolean): Promise<Journal> => {
  const none = { last: () => undefined, add: () => undefined, close: () => undefined };
  if (file === undefined) return { id: randomUUID(), ...none };
  if (kind === 'import') return { ...(await readJournal(kind, file, again)), close: none.close };
  const close = lockJournal(file);
  try {
    return { ...(await readJournal(kind, file, again)), close };
  } catch (thrown) {
    close();
    throw thrown;
  }
};

/** A republication removes its journal at its end, so no other may use it meanwhile. */
const lockJournal = (file: string): (() => void) => {
  const lock = `${file}.lock`;
  const holders = writing(file, () => {
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
  const goesOn = id !== undefined && !again;
  const last = new Map(goesOn ? entries.flatMap(entryIn) : []);
  if (goesOn && !text.endsWith('\n')) append(file, '\n');
  return {
    id: goesOn ? id : begin(kind, file),
    last: (node) => last.get(node),
    add: (entry) => {
      append(file, `${JSON.stringify(entry)}\n`);
      last.set(entry.node, entry);
    },
  };
};

export const removeJournal = (file: string): void => writing(file, () => rmSync(file, { force: true }));

const begin = (kind: Kind, file: string): string => {
  const id = randomUUID();
  writing(file, () => writeFileSync(file, `${JSON.stringify({ [kind]: id })}\n`, { flush: true }));
  return id;
};

const append = (file: string, text: string): void => writing(file, () => appendFileSync(file, text));

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

/** Shows the progress of the work: by a bar on a terminal, else by a line every five seconds. */
export const showProgress = (
  { reportScreen: screen, report }: Pick<Surroundings, 'reportScreen' | 'report'>,
  total: number,
) => {
  const began = performance.now();
  const lineOf = (tally: Tally): string => progressLine(tally, total, performance.now() - began);
  const isDue = every(screen === undefined ? LINE_MS : REDRAW_MS);
  if (screen === undefined)
    return { show: (tally: Tally) => void (isDue() && report(lineOf(tally))), report, stop: () => undefined };
  let drawn = '';
  /** Written over in its line, which is never longer than the terminal is wide; no other state of the terminal is touched. */
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

/** True at most once per `ms`, the first time after `ms`. */
export const every = (ms: number): (() => boolean) => {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
};

const ESTIMATE_AFTER_MS = 2_000;

/** The progress of the work on `total` items after `ms`, with the remaining time by the speed so far. */
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
