import type { Screen, Surroundings } from '../surroundings';
import type { Tally } from './import-lines';
import { progressBar, progressLine } from './progress-line';

/** Shows how far an import is. */
export interface Progress {
  readonly show: (tally: Tally) => void;
  /** Tells something meanwhile. */
  readonly tell: (line: string) => void;
  /** Takes away what is not to stay. */
  readonly stop: () => void;
}

const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** A bar on a terminal, else a line every five seconds. */
export const showProgress = (
  { tellScreen, tell }: Pick<Surroundings, 'tellScreen' | 'tell'>,
  total: number,
): Progress => {
  const began = performance.now();
  const line = (tally: Tally): string => progressLine(tally, total, performance.now() - began);
  if (tellScreen !== undefined) return drawnOn(tellScreen, total, line);
  const isDue = every(LINE_MS);
  return {
    show: (tally) => {
      if (isDue()) tell(line(tally));
    },
    tell,
    stop: () => undefined,
  };
};

const WIDEST = 30;
const CLEARED = '\r\u001b[K';

/** Written over in its line, which is never longer than the terminal is wide; no other state of the terminal is touched. */
const drawnOn = ({ size, write }: Screen, total: number, line: (tally: Tally) => string): Progress => {
  const isDue = every(REDRAW_MS);
  const drawing = (tally: Tally): string => {
    const room = size().columns - 1;
    const text = line(tally).slice(0, room);
    const width = Math.max(0, Math.min(WIDEST, room - text.length - 1));
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
    tell: (line) => {
      write(`${CLEARED}${line}\n${drawn}`);
    },
    stop: () => {
      write(CLEARED);
    },
  };
};

/** Says yes at most once in `ms`, and not at once. */
const every = (ms: number): (() => boolean) => {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
};
