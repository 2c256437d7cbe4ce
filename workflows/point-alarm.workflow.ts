import * as wf from '@temporalio/workflow';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { PublishActivities } from '../activities/activities';
import { decode, uuid } from './domain/codecs';
import { carriedOn, decodeArgument, type Node } from './domain/node/state';
import { takeCommands } from './group';
import { nodeIdOf, workflowIdOf } from './messages';
import { answerQueries, followStatus } from './reads';
import { neverEnding, newRunOf } from './run';
import { mustBeReadable } from './sandbox';

/**
 * One node: it holds a threshold, the latest measurements, the alarm parts and the unpublished events, and takes
 * commands one at a time. It runs for ever, in runs of about a hundred updates, shorter ones while there are signals.
 *
 * `argument` is what the run before left; without it the node starts empty.
 */
export async function pointAlarm(argument?: unknown): Promise<void> {
  const begun = begin(argument);
  const { nodeId } = begun.state;
  const run = newRunOf(begun);
  const statusAttribute = followStatus(run.node);

  // Handlers are synchronous: commands cannot interleave, and what a validator saw is what its handler finds, unless
  // another command came between; then the handler refuses. What came before the run began is delivered as soon as there
  // is a handler for it, so all that takes part stands above.
  takeCommands(run, statusAttribute.follow);
  answerQueries(run);

  wf.CancellationScope.current().cancelRequested.catch(() => {
    wf.log.warn('a cancel request does not end a node; terminate it to forget it', { nodeId });
  });
  await neverEnding(async () => {
    for (;;) {
      await wf.condition(() => run.continues() || run.hasToPublish());
      if (run.continues()) break;
      const beganAt = Date.now();
      const newest = await publishWaiting({ nodeId, events: run.node().outbox.waiting }, run.breaksOff);
      run.happens({ _tag: 'Published', beganAt, draw: Math.random() });
      if (newest !== undefined) run.drop(newest);
    }
    statusAttribute.settle();
    return wf.continueAsNew<typeof pointAlarm>(carriedOn(run.node()));
  });
}

/**
 * This node at the beginning of its run.
 *
 * What a run before left must never be lost: where it does not decode, the workflow task fails, and the node waits for a
 * release that can read it, or for a worker that has the key. A start by hand with an argument that does not decode ends at
 * once, with the reason.
 */
const begin = (argument: unknown): Node =>
  pipe(
    decodeArgument(ownNodeId(), argument),
    E.getOrElseW((reasons) => {
      mustBeReadable(argument);
      const problem = `the argument does not decode: ${JSON.stringify(reasons.slice(0, 5))}`;
      if (wf.workflowInfo().continuedFromExecutionRunId === undefined)
        throw wf.ApplicationFailure.nonRetryable(problem, 'InvalidState');
      throw new Error(problem);
    }),
  );

/** The node that this workflow is, by its id; a workflow of another id ends at once, with the reason. */
const ownNodeId = (): string => {
  const { workflowId } = wf.workflowInfo();
  const nodeId = decode(uuid, nodeIdOf(workflowId));
  if (E.isRight(nodeId) && workflowId === workflowIdOf(nodeId.right)) return nodeId.right;
  throw wf.ApplicationFailure.nonRetryable(
    `the workflow id of a node is ${workflowIdOf('<UUID in lower case>')}, not ${workflowId}`,
    'InvalidWorkflowId',
  );
};

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
 * Publishes events and answers the id of the node's last event in the stream, or `undefined` when that is not known: it
 * was cancelled, because `overdue` turned true, or it failed. What is published twice is dropped there.
 *
 * Errors: an answer in the history that cannot be read; the workflow task has to fail.
 */
const publishWaiting = async (
  batch: Parameters<typeof publishEvents>[0],
  overdue: () => boolean,
): Promise<string | undefined> => {
  const run = { settled: false };
  const scope = new wf.CancellationScope({ cancellable: true });
  const publishing = scope
    .run(() => publishEvents(batch))
    .catch(() => undefined)
    .finally(() => {
      run.settled = true;
    });
  await wf.condition(() => run.settled || overdue());
  if (!run.settled) scope.cancel();
  const newest = await publishing;
  mustBeReadable(newest);
  if (newest === undefined) await wf.condition(overdue, PAUSE_AFTER_FAILURE);
  return newest;
};
