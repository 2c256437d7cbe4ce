import { exitText, startChild, type ChildPlan } from './child';
import type { Ground } from './ground';

/** Runs `plan` to its end. Errors: its exit and last lines, when it is not exit code 0; the signal's reason when aborted. */
export const runChild = async (plan: ChildPlan, { signal, watchdog }: Ground): Promise<void> => {
  const child = await startChild(plan, watchdog);
  const stop = (): void => void child.stop(2_000);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const exit = await child.exited;
  signal.removeEventListener('abort', stop);
  await child.stop(1_000);
  signal.throwIfAborted();
  if (exit.code !== 0) throw new Error(`${exitText(exit)}: ${child.tail().trim().split('\n').slice(-3).join(' / ')}`);
};
