import { mkdirSync } from 'node:fs';
import { startChild, type Child, type ChildPlan } from './child';
import { isFault, lineOf } from './fault';
import type { Ground } from './ground';
import { secondsSince } from './report';
import { waitUntil } from './wait-until';

/** A server that we started. It may be killed by its child, and started again with the same port and state. */
export interface OwnServer {
  readonly child: () => Child;
  readonly startAgain: () => Promise<Child>;
}

/** A server to start on a port of its own. */
export interface OwnServerPlan extends ChildPlan {
  readonly address: string;
  /** Succeeds once the server answers. */
  readonly probe: () => Promise<void>;
}

const ATTEMPTS = 5;
const ANSWERS_WITHIN_MS = 60_000;

/** Starts what `choose` gives, and waits until it answers; again on other ports when somebody took one meanwhile. */
export const startOwnServer = async <P extends OwnServerPlan>(
  choose: () => Promise<P>,
  ground: Ground,
): Promise<{ readonly plan: P; readonly own: OwnServer }> => {
  for (let attempt = 1; ; attempt += 1) {
    const begin = Date.now();
    const plan = await choose();
    try {
      let child = await startOnce(plan, ground);
      ground.report(plan.name, `answers at ${plan.address} after ${secondsSince(begin)}`);
      const startAgain = async (): Promise<Child> => {
        await child.stop(8_000);
        return (child = await startOnce(plan, ground));
      };
      return { plan, own: { child: () => child, startAgain } };
    } catch (thrown) {
      const isTaken = isFault(thrown) && /address already in use/i.test(thrown.message);
      if (!isTaken || attempt === ATTEMPTS) throw thrown;
    }
  }
};

const startOnce = async (plan: OwnServerPlan, { watchdog, signal }: Ground): Promise<Child> => {
  mkdirSync(plan.folder, { recursive: true });
  const child = await startChild(plan, watchdog);
  try {
    await waitUntil(plan.probe, { what: plan.name, deadlineMs: ANSWERS_WITHIN_MS, signal, child });
    return child;
  } catch (thrown) {
    await child.stop(1_000);
    throw thrown;
  }
};

const GIVEN_WITHIN_MS = 5_000;

/** Checks a server of the user's. An unavailable one is only reported: the processes wait for it. */
export const lookForServer = async (
  { name, shown, setting }: { readonly name: string; readonly shown: string; readonly setting: string },
  probe: () => Promise<void>,
  { report, signal }: Ground,
): Promise<void> => {
  try {
    await waitUntil(probe, { what: 'it', deadlineMs: GIVEN_WITHIN_MS, signal });
    report(name, `answers at ${shown} (${setting})`);
  } catch (thrown) {
    signal.throwIfAborted();
    report(name, `${shown} (${setting}): ${lineOf(thrown)}; going on, it may come`);
  }
};
