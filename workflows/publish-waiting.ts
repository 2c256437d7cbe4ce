import * as wf from '@temporalio/workflow';
import type { PublishActivities } from '../activities/publish-events';
import type { OutboxEvent } from './domain/node/outbox';
import { mustBeReadable } from './unreadable';

/**
 * The publication is bounded in time, since a run ends only between two of them. While Redis is unavailable it waits
 * inside the activity; a worker that died in it is noticed by the missing heartbeat.
 */
const { publishEvents } = wf.proxyActivities<PublishActivities>({
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '10 minutes',
  heartbeatTimeout: '6 seconds',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
});

const PAUSE_AFTER_FAILURE = '1 second';

/**
 * Publishes `events` and answers the id of the last one that is in the stream, or `undefined` when that is not known: it
 * was cancelled, because `overdue` turned true, or it failed. What is published twice is dropped there.
 *
 * Errors: an answer in the history that cannot be read; the workflow task has to fail.
 */
export const publishWaiting = async (
  nodeId: string,
  events: ReadonlyArray<OutboxEvent>,
  overdue: () => boolean,
): Promise<string | undefined> => {
  const run = { settled: false };
  const scope = new wf.CancellationScope({ cancellable: true });
  const publication = scope
    .run(() => publishEvents({ nodeId, events }))
    .catch(() => undefined)
    .finally(() => {
      run.settled = true;
    });
  await wf.condition(() => run.settled || overdue());
  if (!run.settled) scope.cancel();
  const published = await publication;
  mustBeReadable(published);
  if (published === undefined) await wf.condition(overdue, PAUSE_AFTER_FAILURE);
  return published;
};
