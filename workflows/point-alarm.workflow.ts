import * as wf from '@temporalio/workflow';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { PublishActivities } from '../activities/publish-events';
import { decode, uuid } from './domain/codecs';
import { continueAsNewArgument, decodeArgument, signalsIn, type Node } from './domain/node/state';
import { handleUpdates } from './group';
import { nodeIdOf, workflowIdOf } from './messages';
import { answerQueries } from './queries';
import { failUnlessContinuedAsNew, createRun } from './run';
import { failTaskIfUnreadable } from './sandbox';
import { createStatusAttributeWriter } from './status-attribute';

/** The workflow of a node. It never ends: after about a hundred updates it continues as new, with its state as `argument`. */
export async function pointAlarm(argument?: unknown): Promise<void> {
  const initialNode = decodeInitialNode(argument);
  const { nodeId } = initialNode.state;
  const run = createRun(initialNode, signalsIn(argument));
  const statusAttribute = createStatusAttributeWriter(run.node);

  // As soon as a handler is set, the SDK gives it the messages that arrived before. So everything that the handlers use must
  // stand above this line. Handlers are synchronous, so commands cannot interleave.
  const signals = handleUpdates(run, statusAttribute.update);
  answerQueries(run);

  wf.CancellationScope.current().cancelRequested.catch(() => {
    wf.log.warn('a cancel request does not end a node; terminate it to forget it', { nodeId });
  });
  await failUnlessContinuedAsNew(async () => {
    for (;;) {
      await wf.condition(() => run.shouldContinueAsNew() || run.hasToPublish());
      if (run.shouldContinueAsNew()) break;
      const beganAt = Date.now();
      const newest = await publishWaiting({ nodeId, events: run.node().outbox.waiting }, run.shouldCancelPublication);
      run.recordRunEvent({ _tag: 'Published', beganAt, draw: Math.random() });
      if (newest === undefined) continue;
      run.applyPublication(newest);
      signals.onPublished();
    }
    statusAttribute.flush();
    return wf.continueAsNew<typeof pointAlarm>(continueAsNewArgument(run.node(), run.waitingSignals.all()));
  });
}

/**
 * Decodes the node at the beginning of its run. State from an earlier run must never be lost: if it does not decode, the task
 * fails, and the node waits for a release or worker that can read it. A workflow started by hand with a wrong argument ends at
 * once.
 */
const decodeInitialNode = (argument: unknown): Node =>
  pipe(
    decodeArgument(ownNodeId(), argument),
    E.getOrElseW((reasons) => {
      failTaskIfUnreadable(argument);
      const problem = `the argument does not decode: ${JSON.stringify(reasons.slice(0, 5))}`;
      if (wf.workflowInfo().continuedFromExecutionRunId === undefined)
        throw wf.ApplicationFailure.nonRetryable(problem, 'InvalidState');
      throw new Error(problem);
    }),
  );

/** The node id in the workflow id. A workflow with an id of another form ends at once, with the reason. */
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
 * The publish activity. Its time is bounded, because a run can end only while the activity does not run. While Redis is
 * unavailable, the activity waits and sends heartbeats.
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
 * Publishes `batch` and returns the id of the node's newest event in the stream; undefined if the activity failed, or was
 * cancelled because `isOverdue` became true. Throws if the result in the history cannot be read, so that the task fails.
 */
const publishWaiting = async (
  batch: Parameters<typeof publishEvents>[0],
  isOverdue: () => boolean,
): Promise<string | undefined> => {
  const run = { settled: false };
  const scope = new wf.CancellationScope({ cancellable: true });
  const publishing = scope
    .run(() => publishEvents(batch))
    .catch(() => undefined)
    .finally(() => {
      run.settled = true;
    });
  await wf.condition(() => run.settled || isOverdue());
  if (!run.settled) scope.cancel();
  const newest = await publishing;
  failTaskIfUnreadable(newest);
  if (newest === undefined) await wf.condition(isOverdue, PAUSE_AFTER_FAILURE);
  return newest;
};
