import * as wf from '@temporalio/workflow';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { PublishActivities } from '../activities/activities';
import { decode, uuid } from './domain/codecs';
import { carriedOn, decodeArgument, signalsIn, type Node } from './domain/node/state';
import { takeCommands } from './group';
import { nodeIdOf, workflowIdOf } from './messages';
import { answerQueries, followStatus } from './reads';
import { neverEnding, newRunOf } from './run';
import { mustBeReadable } from './sandbox';

/** One node, which lives for ever in runs of about a hundred updates. `argument` is what the run before left; without it the node starts empty. */
export async function pointAlarm(argument?: unknown): Promise<void> {
  const begun = begin(argument);
  const { nodeId } = begun.state;
  const run = newRunOf(begun, signalsIn(argument));
  const statusAttribute = followStatus(run.node);

  // What came before the run began is delivered as soon as there is a handler for it, so all that takes part stands above.
  // Handlers are synchronous: commands cannot interleave.
  const signals = takeCommands(run, statusAttribute.follow);
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
      if (newest === undefined) continue;
      run.published(newest);
      signals.published();
    }
    statusAttribute.settle();
    return wf.continueAsNew<typeof pointAlarm>(carriedOn(run.node(), run.waitingSignals.all()));
  });
}

/**
 * This node at the beginning of its run. What a run before left must never be lost: where it does not decode, the task fails, and
 * the node waits for a release or a worker that can read it. A start by hand ends at once, with the reason.
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

/** Bounded in time, since a run ends only between two publications. While Redis is unavailable it waits inside, with heartbeats. */
const { publishEvents } = wf.proxyActivities<PublishActivities>({
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '10 minutes',
  heartbeatTimeout: '6 seconds',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
});

const PAUSE_AFTER_FAILURE = '1 second';

/**
 * Publishes events and answers the id of the node's last event in the stream, or `undefined` where it failed or was cancelled,
 * because `overdue` turned true. Errors: an answer in the history that cannot be read; the workflow task has to fail.
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
