import * as wf from '@temporalio/workflow';
import { answerQueries, holdNode } from './held-node';
import { followRun, neverEnding } from './run';
import { takeCommands } from './group';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, uuid } from './domain/codecs';
import { decodeArgument, type Begun } from './domain/node/node';
import { nodeIdOf, workflowIdOf } from './names';
import { mustBeReadable } from './sandbox';
import type { PublishActivities, Publication } from '../activities/activities';

/**
 * One node: it holds a threshold, the latest measurements, the alarm parts and the unpublished events, and takes
 * commands one at a time. It runs for ever, in runs of about a hundred updates, shorter ones while there are signals.
 *
 * `argument` is what the run before left, or how the API starts a node; without it the node starts empty.
 */
export async function pointAlarm(argument?: unknown): Promise<void> {
  const begun = begin(argument);
  const { nodeId } = begun.node.state;
  const run = followRun();
  const held = holdNode(begun, run);

  // Handlers are synchronous: commands cannot interleave, and what a validator saw is what its handler finds, unless
  // another command came between; then the handler refuses. What came before the run began is delivered as soon as there
  // is a handler for it, so the node is held before.
  takeCommands(held, run);
  answerQueries(held.node);

  wf.CancellationScope.current().cancelRequested.catch(() => {
    wf.log.warn('a cancel request does not end a node; terminate it to forget it', { nodeId });
  });
  await neverEnding(async () => {
    for (;;) {
      await wf.condition(() => run.continues() || held.hasToPublish());
      if (run.continues()) break;
      const beganAt = Date.now();
      const published = await publishWaiting(held.publication(), run.breaksOff);
      run.happens({ _tag: 'Published', beganAt, draw: Math.random() });
      if (published !== undefined) held.drop(published.newest);
      if (published?.mayKeepStatusAttribute === true) held.keepStatusAttribute();
    }
    return wf.continueAsNew<typeof pointAlarm>(held.end());
  });
}

/**
 * This node at the beginning of its run.
 *
 * What a run before left must never be lost: where it does not decode, the workflow task fails, and the node waits for a
 * release that can read it, or for a worker that has the key. A start by hand with an argument that does not decode ends at
 * once, with the reason.
 */
const begin = (argument: unknown): Begun =>
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
const publishWaiting = async (publication: Publication, overdue: () => boolean): Promise<Published | undefined> => {
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
