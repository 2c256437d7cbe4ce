import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Batch, PublishActivities } from './publish-events';
import type { Publisher } from './publisher';

/** The first and the longest pause between two tries, in ms. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;
/** How long one attempt waits for the stream, in ms: below the activity's time-out, so that it ends on its own. */
const PATIENCE = 240_000;

/**
 * The publish activity over `publisher`.
 *
 * While the stream is away it waits inside, with a heartbeat a try, instead of failing: thousands of nodes that retry
 * would cost the server two writes each time. It ends early when its node wants to renew or its worker stops.
 */
export const createActivities = (publisher: Publisher): PublishActivities => ({
  publishEvents: async (batch) => {
    const last = batch.events[batch.events.length - 1]?.sequenceId ?? '';
    const began = Date.now();
    for (let tries = 0; ; tries += 1) {
      const fault = await publisher.append(batch).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (fault === undefined) return last;
      if (Date.now() - began > PATIENCE) throw givenUp(fault);
      await pause(tries, batch, fault);
    }
  },
});

const pause = async (tries: number, { nodeId }: Batch, fault: unknown): Promise<void> => {
  const context = Context.current();
  if (tries === 0) context.log.warn('events wait for the stream', { nodeId, fault: String(fault) });
  context.heartbeat(tries);
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries);
  try {
    await context.sleep(longest * (0.5 + Math.random() / 2));
  } catch (interruption) {
    // The node asked for it: cancelled. The worker stops, or lost its claim: another one shall try at once.
    if (interruption instanceof CancelledFailure && context.cancellationDetails?.cancelRequested === true)
      throw interruption;
    throw givenUp(fault);
  }
};

const givenUp = (fault: unknown): ApplicationFailure =>
  ApplicationFailure.retryable(`the stream does not take events: ${String(fault)}`, 'StreamAway');
