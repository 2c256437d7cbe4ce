import * as wf from '@temporalio/workflow';
import type { Node } from './domain/node/node';
import { afterwards, looksAgain, newRun, sendsBack, type Happened } from './domain/node/run-policy';

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

/** Work that is to be done later. */
interface Later {
  /** Has it done in a while; requests until then are part of the first. */
  readonly start: () => void;
  /** Forgets the request, if there is one. */
  readonly cancel: () => void;
}

/** Does `work` a `duration` after it was started, unless it is cancelled before. A cancel request to the workflow does not reach it. */
export const onceAfter = (duration: Parameters<typeof wf.sleep>[0], work: () => void): Later => {
  let underWay: wf.CancellationScope | undefined;
  return {
    start: () => {
      if (underWay !== undefined) return;
      void wf.CancellationScope.nonCancellable(async () => {
        const own = new wf.CancellationScope({ cancellable: true });
        underWay = own;
        try {
          await own.run(() => wf.sleep(duration));
        } catch {
          return; // cancelled
        }
        if (underWay !== own) return;
        underWay = undefined;
        work();
      });
    },
    cancel: () => {
      const cancelled = underWay;
      underWay = undefined;
      cancelled?.cancel();
    },
  };
};

/**
 * Runs `life`, which ends by continuing as new, deaf to cancel requests.
 *
 * Whatever else it throws would end the workflow, and its state would be lost. So it fails the workflow task instead: the
 * node waits, seen in `/readyz` and metrics, for a release that corrects it.
 */
export const neverEnding = (life: () => Promise<never>): Promise<never> =>
  wf.CancellationScope.nonCancellable(life).catch((end: unknown) => {
    throw end instanceof wf.ContinueAsNew ? end : new Error(`a node must not end: ${String(end)}`, { cause: end });
  });

/** A decision of an update: its validator makes it, and its handler carries it out. */
interface DecidedOnce<Payload, A> {
  readonly validate: (payload: Payload) => A;
  /** What the validator was told, as long as node and time are those of then. A replay, which runs no validator, decides here. */
  readonly decided: (payload: Payload) => A;
}

/** `decide`, made once for the validator of an update and its handler. */
export const decidedOnce = <Payload, A>(
  node: () => Node,
  decide: (node: Node, payload: Payload, now: number) => A,
): DecidedOnce<Payload, A> => {
  let validated:
    { readonly node: Node; readonly payload: Payload; readonly now: number; readonly decision: A } | undefined;
  return {
    validate: (payload) => {
      const asked = { node: node(), payload, now: Date.now() };
      const decision = decide(asked.node, payload, asked.now);
      validated = { ...asked, decision };
      return decision;
    },
    decided: (payload) => {
      const known = validated;
      validated = undefined; // its payload may be large
      const [of, now] = [node(), Date.now()];
      const isOfNow = known?.node === of && known.payload === payload && known.now === now;
      return isOfNow ? known.decision : decide(of, payload, now);
    },
  };
};
