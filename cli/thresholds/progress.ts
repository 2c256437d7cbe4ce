import type { Screen, Surroundings } from '../surroundings';
import type { Tally } from './import-lines';
import { progressBar, progressLine } from './progress-line';

/** Shows the progress of an import. */
export interface Progress {
  readonly show: (tally: Tally) => void;
  /** Prints a line beside the progress. */
  readonly report: (line: string) => void;
  /** Clears the progress from the screen. */
  readonly stop: () => void;
}

const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** A bar on a terminal, else a line every five seconds. */
export const showProgress = (
  { reportScreen, report }: Pick<Surroundings, 'reportScreen' | 'report'>,
  total: number,
): Progress => {
  const began = performance.now();
  const line = (tally: Tally): string => progressLine(tally, total, performance.now() - began);
  if (reportScreen !== undefined) return drawnOn(reportScreen, total, line);
  const isDue = every(LINE_MS);
  return {
    show: (tally) => {
      if (isDue()) report(line(tally));
    },
    report,
    stop: () => undefined,
  };
};

const WIDEST = 30;
const CLEARED = '\r\u001b[K';

/** Written over in its line, which is never longer than the terminal is wide; no other state of the terminal is touched. */
const drawnOn = ({ size, write }: Screen, total: number, line: (tally: Tally) => string): Progress => {
  const isDue = every(REDRAW_MS);
  const drawing = (tally: Tally): string => {
    const columns = size().columns - 1;
    const text = line(tally).slice(0, columns);
    const width = Math.max(0, Math.min(WIDEST, columns - text.length - 1));
    return `${CLEARED}${width > 0 ? `${progressBar(tally, total, width)} ` : ''}${text}`;
  };
  let drawn = drawing({ set: 0, setBefore: 0, failed: 0 });
  write(drawn);
  return {
    show: (tally) => {
      if (!isDue()) return;
      drawn = drawing(tally);
      write(drawn);
    },
    report: (line) => {
      write(`${CLEARED}${line}\n${drawn}`);
    },
    stop: () => {
      write(CLEARED);
    },
  };
};

/** True at most once per `ms`, the first time after `ms`. */
const every = (ms: number): (() => boolean) => {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
};
