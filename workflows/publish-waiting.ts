import * as wf from '@temporalio/workflow';
import type { PublishActivities, Publication } from '../activities/publish-events';
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

/** What a publication came to. */
interface Published {
  /** The id of the node's last event that is in the stream. */
  readonly newest: string;
  /** Whether a node that seeks the search attribute may keep it. */
  readonly mayKeepStatusAttribute: boolean;
}

/**
 * Publishes events and answers what came of it, or `undefined` when that is not known: it
 * was cancelled, because `overdue` turned true, or it failed. What is published twice is dropped there.
 *
 * Errors: an answer in the history that cannot be read; the workflow task has to fail.
 */
export const publishWaiting = async (
  publication: Publication,
  overdue: () => boolean,
): Promise<Published | undefined> => {
  const run = { settled: false };
  const scope = new wf.CancellationScope({ cancellable: true });
  const publishing = scope
    .run(() => publishEvents(publication))
    .catch(() => undefined)
    .finally(() => {
      run.settled = true;
    });
  await wf.condition(() => run.settled || overdue());
  if (!run.settled) scope.cancel();
  const published = await publishing;
  mustBeReadable(published);
  if (published === undefined) await wf.condition(overdue, PAUSE_AFTER_FAILURE);
  return typeof published === 'string' ? { newest: published, mayKeepStatusAttribute: false } : published;
};
