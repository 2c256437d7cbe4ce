import * as E from 'fp-ts/Either';
import { WorkflowNotFoundError } from '@temporalio/client';
import { backoffMs, pause } from '../../../process/backoff';
import type { Slot } from '../../admission/queues';
import { classifyError, type ErrorClass, updateFailure } from './errors';
import { NOTHING_WAITS, publishNowUpdate, workflowIdOf } from '../../../workflows/messages';
import type { WorkflowsUntil } from './connection';

/** A call is given up once Temporal has been unavailable for this time (ms): a shard may take seconds to change its host. */
const UNAVAILABLE_MS = 5_000;

/** Time limit (ms) of one attempt. By then another Temporal host has taken over from one that went silent. */
const ATTEMPT_MS = 3_000;

/** Pauses (ms) between attempts while a node continues as new, and while Temporal is unavailable. */
const TRANSIENT_PAUSES = { firstMs: 12, longestMs: 600, factor: 1.7 };
const UNAVAILABLE_PAUSES = { ...TRANSIENT_PAUSES, longestMs: 1_500 };

const withoutSlot: Slot = { release: () => undefined, reacquire: () => Promise.resolve(true) };

/**
 * Tries `attempt` until it answers, a failure is final, the deadline `until` (`performance.now()`) passes, or Temporal was
 * unavailable for `UNAVAILABLE_MS`. `mayHaveReached`: an earlier attempt may have reached the server, so this one must join it
 * or be harmless. The pauses begin with milliseconds, as most failures come from a node that continues as new; the client's own
 * retries would wait a second. Left: the last failure, and whether any attempt may have been carried out.
 */
export const retry = async <A>(
  attempt: (until: number, mayHaveReached: boolean) => Promise<A>,
  until: number,
  slot: Slot = withoutSlot,
): Promise<E.Either<ErrorClass, A>> => {
  let mayHaveReached = false;
  let unavailableSince: number | undefined;
  for (let tries = 0; ; tries += 1) {
    const began = performance.now();
    try {
      return E.right(await attempt(Math.min(until, began + ATTEMPT_MS), mayHaveReached));
    } catch (error) {
      const failure = classifyError(error);
      const now = performance.now();
      const isTransient = failure.kind === 'transient';
      mayHaveReached ||= failure.mayHaveReached;
      unavailableSince = failure.kind === 'unavailable' ? (unavailableSince ?? now) : undefined;
      // The server still works on an attempt that ended by its own deadline. The next attempt joins it at once, without a slot.
      // The elapsed time decides, because a server may also answer DEADLINE_EXCEEDED at once.
      const joins = failure.kind === 'late' && now - began > ATTEMPT_MS / 2;
      const ms = joins ? 0 : backoffMs(isTransient ? TRANSIENT_PAUSES : UNAVAILABLE_PAUSES, tries);
      const end = Math.min(until, (unavailableSince ?? Infinity) + UNAVAILABLE_MS);
      if (failure.kind === 'final' || now + ms >= end) return E.left({ ...failure, mayHaveReached });
      if (!isTransient) slot.release();
      if (joins) continue;
      await pause(ms);
      if (!isTransient && !(await slot.reacquire(end))) return E.left({ ...failure, mayHaveReached });
    }
  }
};

/** Time (ms) that a node has to confirm that it will publish. */
const DEADLINE_MS = 5_000;

/** Asks a node to publish its outbox. True also if it has no events or no run; false if the request fails or is too late. */
export const createPublishNow =
  (workflowsUntil: WorkflowsUntil) =>
  async (nodeId: string, deadlineMs = DEADLINE_MS): Promise<boolean> => {
    const request = async (until: number): Promise<void> => {
      try {
        await workflowsUntil(until).getHandle(workflowIdOf(nodeId)).executeUpdate(publishNowUpdate);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || updateFailure(error, NOTHING_WAITS) !== undefined) return;
        throw error;
      }
    };
    return E.isRight(await retry(request, performance.now() + deadlineMs));
  };
