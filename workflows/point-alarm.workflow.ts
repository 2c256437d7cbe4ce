import * as wf from '@temporalio/workflow';
import { answerQueries } from './answer-queries';
import { begin } from './begin';
import { followRun } from './follow-run';
import { holdNode } from './held-node';
import { neverEnding } from './never-ending';
import { publishWaiting } from './publish-waiting';
import { takeCommands } from './take-commands';
import { takeGroups } from './take-groups';

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
  takeGroups(held, run);
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
