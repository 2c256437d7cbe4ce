import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import { backoffMs } from '../process/backoff';
import { reasonOf } from '../process/reason-of';
import type { Batch } from '../stream/publisher';
import type { PublishActivities } from './publish-events';
import type { Publisher } from '../stream/publisher';

const PAUSES = { firstMs: 50, longestMs: 2_000 };
/** Time (ms) that one attempt waits for the stream: below the activity's time-out, so that it ends on its own. */
const UNAVAILABLE_MS = 240_000;

/**
 * The publish activity over `publisher`. `knowsStatusAttribute`: whether the cluster takes the search attribute, on all of its hosts.
 *
 * While the stream is unavailable it waits inside, with a heartbeat per try, instead of failing: thousands of nodes that
 * retry would cost the server two writes each time. It ends early when its node is to continue as new or its worker stops.
 */
export const createActivities = (
  publisher: Publisher,
  knowsStatusAttribute: () => Promise<boolean> = () => Promise.resolve(false),
): PublishActivities => ({
  publishEvents: async ({ seeksStatusAttribute = false, ...batch }) => {
    const began = Date.now();
    for (let tries = 0; ; tries += 1) {
      const appended = await publisher.append(batch).then(E.right, E.left<unknown>);
      if (E.isRight(appended)) {
        const { newest } = appended.right;
        const mayKeep = seeksStatusAttribute && (await knowsStatusAttribute());
        return mayKeep ? { newest, mayKeepStatusAttribute: true } : newest;
      }
      const fault = appended.left;
      if (Date.now() - began > UNAVAILABLE_MS) throw givenUp(fault);
      await pause(tries, batch, fault);
    }
  },
});

const pause = async (tries: number, { nodeId }: Batch, fault: unknown): Promise<void> => {
  const context = Context.current();
  if (tries === 0) context.log.warn('events wait for the stream', { nodeId, reason: reasonOf(fault) });
  context.heartbeat(tries);
  try {
    await context.sleep(backoffMs(PAUSES, tries));
  } catch (interruption) {
    // The node requested it: cancelled. The worker stops or lost its claim: another one retries at once.
    if (interruption instanceof CancelledFailure && context.cancellationDetails?.cancelRequested === true)
      throw interruption;
    throw givenUp(fault);
  }
};

const givenUp = (fault: unknown): ApplicationFailure =>
  ApplicationFailure.retryable(`the stream does not take events: ${reasonOf(fault)}`, 'StreamAway');
