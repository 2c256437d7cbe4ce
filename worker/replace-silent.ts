import type { NativeConnection } from '@temporalio/worker';
import { pause } from '../process/backoff';
import { within } from '../process/within';

/** How often (ms) Temporal is asked whether the connection still answers, and how soon (ms) it must. */
const ASKED_EVERY_MS = 1_000;
const ANSWERS_WITHIN_MS = 2_000;

/** Whether `connection` answers in time. */
export const answers = (connection: NativeConnection): Promise<boolean> =>
  within(ANSWERS_WITHIN_MS, connection.workflowService.getSystemInfo({})).then(
    () => true,
    () => false,
  );

/**
 * Waits until `connection` went silent while another one to the same address answers, and gives that one; undefined once
 * `signal` is aborted.
 *
 * A host that lost its power or its network leaves its connections open. The SDK's own keep-alive notices after 45 s, and cannot
 * be set; until then the worker's polls wait for tasks that go nowhere. A Temporal that answers nobody is not replaced.
 */
export const replacementOf = async (
  connection: NativeConnection,
  connect: () => Promise<NativeConnection>,
  signal: AbortSignal,
): Promise<NativeConnection | undefined> => {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    await pause(ASKED_EVERY_MS, signal);
    if (isOver() || (await answers(connection)) || isOver()) continue;
    const other = await connect().catch(() => undefined);
    if (other === undefined) continue;
    if (!(await answers(connection)) && (await answers(other))) return other;
    await other.close();
  }
  return undefined;
};
