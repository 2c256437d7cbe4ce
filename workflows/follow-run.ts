import * as wf from '@temporalio/workflow';
import { afterwards, looksAgain, newRun, sendsBack, type Happened } from './domain/node/run-policy';
import { onceAfter } from './once-after';

/** After a signal a node that has to continue as new looks so much later for a task that brings none. */
const LOOKS_AGAIN_AFTER = '250 milliseconds';

/** The run as it goes on (`run-policy.ts` decides). */
export interface FollowedRun {
  readonly happens: (happened: Happened) => void;
  readonly continues: () => boolean;
  readonly breaksOff: () => boolean;
  readonly sendsBack: () => boolean;
}

/** Feeds the run policy with what this run's history has: the time of each task, its bytes, the server's suggestion. */
export const followRun = (): FollowedRun => {
  let run = newRun(Math.random());
  const happens = (happened: Happened): void => {
    const { historySize: historyBytes, continueAsNewSuggested } = wf.workflowInfo();
    const task = { now: Date.now(), historyBytes, continueAsNewSuggested };
    run = afterwards(run, happened, task);
    if (looksAgain(run, happened, task)) lookAgain.start();
  };
  const lookAgain = onceAfter(LOOKS_AGAIN_AFTER, () => {
    happens({ _tag: 'LookedAgain' });
  });
  return {
    happens,
    continues: () => run.continues,
    breaksOff: () => run.breaksOff,
    sendsBack: () => sendsBack(run, Date.now()),
  };
};
