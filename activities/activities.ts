import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import { backoffMs } from '../process/backoff';
import { gauge } from '../process/metrics';
import { reasonOf } from '../process/reason-of';
import { createReminder } from '../process/reminder';
import type { Batch, Publisher } from '../stream/append';
import type { Registry } from 'prom-client';

const PAUSES = { firstMs: 50, longestMs: 2_000 };
/** Time (ms) that one attempt waits for the stream: below the activity's time-out, so that it ends on its own. */
const UNAVAILABLE_MS = 240_000;

/**
 * The publish activity. While the stream is unavailable it waits inside, with a heartbeat per try: the retries of thousands of nodes
 * would cost the server two writes each. It ends early when its node is to continue as new or its worker stops.
 */
export const createActivities = (publisher: Publisher): PublishActivities => {
  const { isDue } = createReminder(); // one for all nodes, whose batches each log their first wait
  return {
    publishEvents: async (batch) => {
      const began = Date.now();
      for (let tries = 0; ; tries += 1) {
        const appended = await publisher.append(batch).then(E.right, E.left<unknown>);
        if (E.isRight(appended)) return appended.right.newest;
        const fault = appended.left;
        if (Date.now() - began > UNAVAILABLE_MS) throw givenUp(fault);
        await pause(tries, batch, fault, isDue());
      }
    },
  };
};

const pause = async (tries: number, { nodeId }: Batch, fault: unknown, isReminded: boolean): Promise<void> => {
  const context = Context.current();
  if (tries === 0 || isReminded) context.log.warn('events wait for the stream', { nodeId, reason: reasonOf(fault) });
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

export interface PublishActivities {
  /** Appends the events of `batch` that the stream lacks, and returns the id of the node's newest event there. */
  readonly publishEvents: (batch: Batch) => Promise<string>;
}

/** Exposes the contents of this worker's publications in flight. */
export const measurePublications = ({ publishEvents }: PublishActivities, registry: Registry): PublishActivities => {
  const inFlight = new Set<Batch>();
  gauge(registry, 'point_alarm_waiting_events', () => [
    [[...inFlight].reduce((sum, { events }) => sum + events.length, 0)],
  ]);
  gauge(registry, 'point_alarm_oldest_waiting_event_age_seconds', () => [
    [Math.max(0, ...[...inFlight].map(({ events }) => secondsSince(events[0]?.timestamp ?? Date.now())))],
  ]);
  return {
    publishEvents: async (batch) => {
      inFlight.add(batch);
      try {
        return await publishEvents(batch);
      } finally {
        inFlight.delete(batch);
      }
    },
  };
};

const secondsSince = (epochMs: number): number => (Date.now() - epochMs) / 1_000;
