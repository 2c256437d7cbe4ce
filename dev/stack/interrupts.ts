import { interruptsBy, type Interrupts } from '../../process/interrupts';
import { isAlive, knownProcess, statOf, type KnownProcess } from '../../process/pid-lock.cjs';

/**
 * Listens to SIGINT, SIGTERM and SIGHUP from now on. Under npm, the death of npm or of its shell counts as an interrupt, too:
 * if only they are killed, no signal reaches this process.
 */
export const listenForInterrupts = (underNpm = process.env['npm_lifecycle_event'] !== undefined): Interrupts => {
  const { interrupt, ...interrupts } = interruptsBy('SIGINT', 'SIGTERM', 'SIGHUP');
  if (underNpm) whenNpmDies(interrupt);
  return interrupts;
};

const whenNpmDies = (then: () => void): void => {
  const [parent, npm] = [process.ppid, npmAbove()];
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isAlive(npm))) return;
    clearInterval(timer);
    then();
  }, 1_000);
  timer.unref();
};

/**
 * The npm process that runs this process: its parent, or the parent of its shell. Undefined if the system hides it. npm must be
 * watched, because it cannot pass on a kill -9, and the shell does not pass on a SIGTERM.
 */
const npmAbove = (): KnownProcess | undefined => {
  const parent = statOf(process.ppid);
  if (parent === undefined) return undefined;
  return knownProcess(/^(npm|node)/.test(parent.name) ? process.ppid : parent.parent);
};
