import type { Tally } from './import-lines';

/** Time (ms) before the remaining time is estimated. */
const ESTIMATE_AFTER_MS = 2_000;

/** The progress of an import of `total` lines after `ms`, with the remaining time by the lines sent so far. */
export const progressLine = (tally: Tally, total: number, ms: number): string => {
  const done = doneOf(tally);
  const sent = done - tally.setBefore;
  const left =
    ms >= ESTIMATE_AFTER_MS && sent > 0 && done < total ? `, ${timeOf((ms / sent) * (total - done))} to go` : '';
  return `${done} of ${total}, ${tally.failed} failed${left}`;
};

/** The same as a bar of `width`. */
export const progressBar = (tally: Tally, total: number, width: number): string => {
  const full = Math.floor((width * doneOf(tally)) / Math.max(1, total));
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
};

const doneOf = ({ set, setBefore, failed }: Tally): number => set + setBefore + failed;

const timeOf = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
};
