import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import { backoffMs } from '../process/backoff';
import { gauge } from '../process/metrics';
import { reasonOf } from '../process/reason-of';
import { createReminder } from '../process/reminder';
import type { NodeEvents, Publisher } from '../stream/append';
import type { Registry } from 'prom-client';

const PAUSES = { firstMs: 50, longestMs: 2_000 };
/** Longest time (ms) that one attempt waits for Redis: below the activity's time-out, so that the attempt can end by itself. */
const UNAVAILABLE_MS = 240_000;

/**
 * The publish activity appends a node's events to the stream. While Redis is unavailable, it retries inside one attempt, with a
 * heartbeat per try: retries by Temporal would cost the server two writes each, for thousands of nodes. The activity ends
 * early if its node cancels it in order to continue as new, or if its worker stops.
 */
export const createActivities = (publisher: Publisher): PublishActivities => {
  const { isDue } = createReminder(); // one reminder for all nodes together; besides, each batch logs its first failure
  return {
    publishEvents: async (batch) => {
      const began = Date.now();
      for (let tries = 0; ; tries += 1) {
        const appended = await publisher.append(batch).then(E.right, E.left<unknown>);
        if (E.isRight(appended)) return appended.right.newest;
        const fault = appended.left;
        if (Date.now() - began > UNAVAILABLE_MS) throw retryableFailure(fault);
        await pauseWithHeartbeat(tries, batch, fault, isDue());
      }
    },
  };
};

const pauseWithHeartbeat = async (
  tries: number,
  { nodeId }: NodeEvents,
  fault: unknown,
  isReminded: boolean,
): Promise<void> => {
  const context = Context.current();
  if (tries === 0 || isReminded) context.log.warn('events wait for the stream', { nodeId, reason: reasonOf(fault) });
  context.heartbeat(tries);
  try {
    await context.sleep(backoffMs(PAUSES, tries));
  } catch (interruption) {
    // Pass on a cancellation by the node. If this worker stops or lost the activity, fail: Temporal then retries the activity.
    if (interruption instanceof CancelledFailure && context.cancellationDetails?.cancelRequested === true)
      throw interruption;
    throw retryableFailure(fault);
  }
};

const retryableFailure = (fault: unknown): ApplicationFailure =>
  ApplicationFailure.retryable(`the stream does not take events: ${reasonOf(fault)}`, 'StreamAway');

export interface PublishActivities {
  /** Appends those events of `batch` that the stream lacks. Returns the id of the node's newest event in the stream. */
  readonly publishEvents: (batch: NodeEvents) => Promise<string>;
}

/** Adds metrics of the events that this worker is publishing: their number, and the age of the oldest one. */
export const measurePublications = ({ publishEvents }: PublishActivities, registry: Registry): PublishActivities => {
  const inFlight = new Set<NodeEvents>();
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
