import { startChild, type Child } from './child';
import type { Environment } from './environment';
import { followLog } from './follow-log';
import type { Ground } from './ground';
import { projectRoot } from './project-root';
import { secondsSince } from './report';
import { waitUntil, within } from './wait-until';
import { warningIn } from './warning';

/** A Node process of this project: Node's arguments, and the address that answers 200 once it is ready. */
export interface NodePartPlan {
  readonly name: string;
  /** What Node loads first, if anything, and the compiled entry file. */
  readonly args: ReadonlyArray<string>;
  readonly env: Environment;
  readonly readyUrl: string;
  readonly log: string;
}

/** A part that was started; it may not be ready yet. */
export interface NodePart {
  readonly child: Child;
  /** Waits until it is ready. Errors: a fault when it died, or is not ready in `deadlineMs`. */
  readonly ready: (deadlineMs: number) => Promise<void>;
  /** SIGTERM, and SIGKILL after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Starts a part; the warnings and errors that it logs are reported under its name. */
export const startNodePart = async (plan: NodePartPlan, ground: Ground): Promise<NodePart> => {
  const { name, args, env, log } = plan;
  const begin = Date.now();
  const follower = followLog(log, (line) => {
    const warning = warningIn(line);
    if (warning !== undefined) ground.report(name, warning);
  });
  const command = { name, command: process.execPath, args, folder: projectRoot, env, log };
  const child = await startChild(command, ground.watchdog);
  void child.exited.then(follower.stop);
  return {
    child,
    ready: async (deadlineMs) => {
      const notice = (line: string): void => {
        ground.report(name, line);
      };
      const wait = { what: `the ${name}`, deadlineMs, signal: ground.signal, child, notice };
      await waitUntil(() => answer(plan.readyUrl), wait);
      ground.report(name, `ready after ${secondsSince(begin)}`);
    },
    stop: async (graceMs) => {
      await child.stop(graceMs);
    },
  };
};

const answer = async (url: string): Promise<void> => {
  const { ok, status } = await within(3_000, fetch(url));
  if (!ok) throw new Error(`${url} says ${status}`);
};
