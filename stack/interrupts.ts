import { interruptsBy, type Interrupts } from '../process/interrupts';
import { isAlive, knownProcess, statOf, type KnownProcess } from './pid-lock.cjs';

/**
 * Listens to SIGINT, SIGTERM and SIGHUP from now on. Under npm the death of npm or of its shell counts as well: killed
 * alone, they pass nothing on.
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
 * The npm that runs us, the parent of its shell or of us; undefined where the system does not show it. Neither passes on what
 * it cannot: npm a kill -9, the shell a SIGTERM.
 */
const npmAbove = (): KnownProcess | undefined => {
  const parent = statOf(process.ppid);
  if (parent === undefined) return undefined;
  return knownProcess(/^(npm|node)/.test(parent.name) ? process.ppid : parent.parent);
};
