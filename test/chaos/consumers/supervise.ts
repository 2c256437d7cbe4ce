import { setTimeout as sleep } from 'node:timers/promises';
import { exitText, startChild, type Child, type ChildPlan } from '../../../dev/stack/child';
import type { Ground } from '../../../dev/stack/ground';

/** A process that is started again whenever it ends, as systemd would. */
export interface Supervised {
  readonly name: string;
  /** SIGKILL. */
  readonly kill: () => void;
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Each of its ends that nobody asked for, as `exit code 1`. */
  readonly ends: () => ReadonlyArray<string>;
  /** SIGTERM, after which it is not started again; and how it ended. */
  readonly stop: () => Promise<string>;
}

const AGAIN_AFTER_MS = 500;
const STOPS_WITHIN_MS = 60_000;

export const supervise = async (plan: ChildPlan, { watchdog }: Ground): Promise<Supervised> => {
  const ends: string[] = [];
  let isStopping = false;
  let killed: Child | undefined;
  let child = await startChild(plan, watchdog);
  const keepUp = async (): Promise<void> => {
    for (;;) {
      const exit = await child.exited;
      if (!isStopping && child !== killed) ends.push(exitText(exit));
      await sleep(AGAIN_AFTER_MS);
      if (isStopping) return;
      child = await startChild(plan, watchdog);
    }
  };
  void keepUp();
  return {
    name: plan.name,
    kill: () => {
      killed = child;
      child.signal('SIGKILL');
    },
    freeze: () => child.signal('SIGSTOP'),
    thaw: () => child.signal('SIGCONT'),
    ends: () => ends,
    stop: async () => {
      isStopping = true;
      return exitText(await child.stop(STOPS_WITHIN_MS));
    },
  };
};
