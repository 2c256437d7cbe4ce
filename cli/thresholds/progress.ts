import { Presets, SingleBar } from 'cli-progress';
import type { Surroundings } from '../surroundings';

/** Shows how far something is. */
export interface Progress {
  readonly show: (done: number, failed: number) => void;
  readonly stop: () => void;
}

const EVERY_MS = 5_000;

/** A bar on a terminal, else a line every five seconds. */
export const showProgress = ({ tellsTerminal, tell }: Surroundings, total: number): Progress => {
  if (!tellsTerminal) return tellNowAndThen(tell, total);
  const format = '{bar} {value}/{total}, {failed} failed, {eta_formatted} to go';
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
  bar.start(total, 0, { failed: 0 });
  return {
    show: (done, failed) => {
      bar.update(done, { failed });
    },
    stop: () => {
      bar.stop();
    },
  };
};

const tellNowAndThen = (tell: (line: string) => void, total: number): Progress => {
  let told = performance.now();
  return {
    show: (done, failed) => {
      if (performance.now() - told < EVERY_MS) return;
      told = performance.now();
      tell(`${done} of ${total}, ${failed} failed`);
    },
    stop: () => undefined,
  };
};
