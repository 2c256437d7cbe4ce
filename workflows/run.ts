import * as wf from '@temporalio/workflow';
import { fractionOf } from './domain/digest';
import type { AppliedGroup } from './domain/node/apply-group';
import { CARRIED_SIGNALS_BYTES } from './domain/limits';
import { afterPublication } from './domain/node/publication';
import { afterwards, looksAgain, newRun, sendsBack, type Happened } from './domain/node/run-policy';
import type { Node, WaitingSignal } from './domain/node/state';
import { SIGNALS_WAIT } from './messages';
import { newWaitingSignals } from './signal-queue';

/** After a signal a node that has to continue as new looks so much later for a task that brings none. */
const LOOKS_AGAIN_AFTER = '250 milliseconds';

/** Grace period before the node publishes events that its API was to relay; 1 to 2 times as long by the node's id. */
const RELAY_GRACE_MS = 3_600_000;

/** A node in one of its runs (`run-policy.ts` decides when that ends). */
export type Run = ReturnType<typeof newRunOf>;

export const newRunOf = (begun: Node, signals: ReadonlyArray<WaitingSignal>) => {
  let node = begun;
  let policy = newRun(Math.random());
  const waitingSignals = newWaitingSignals(signals);
  let publishesUpTo = node.state.sequenceId;
  /** When the node began to make room, by the worker's clock (epoch ms). */
  let makesRoomSince: number | undefined;
  /** Feeds the run policy with what this run's history has: each task with its time, its bytes, the server's suggestion. */
  const happens = (happened: Happened): void => {
    const { historyLength: lastEvent, historySize: historyBytes, continueAsNewSuggested } = wf.workflowInfo();
    const signalsWait = waitingSignals.bytes() > CARRIED_SIGNALS_BYTES;
    const task = { lastEvent, now: Date.now(), historyBytes, continueAsNewSuggested, signalsWait };
    policy = afterwards(policy, happened, task);
    if (looksAgain(policy, happened, task)) lookAgain.start();
  };
  const lookAgain = onceAfter(LOOKS_AGAIN_AFTER, () => happens({ _tag: 'LookedAgain' }));
  /** The node publishes all that waits by its activity. */
  const publishesItself = (): void => {
    publishesUpTo = node.state.sequenceId;
  };
  /** An API may end before it publishes, and its publish intent may be lost with Redis. */
  const leaveToApi = onceAfter(Math.round(RELAY_GRACE_MS * (1 + fractionOf(node.state.nodeId))), publishesItself);
  return {
    node: (): Node => node,
    waitingSignals,
    happens,
    publishesItself,
    /** Counts the work of what changed nothing. */
    decidesInVain: (work: number): void => {
      if (signalsMayWait()) happens({ _tag: 'NothingChanged', work });
    },
    /** Commits what a group came to; where its sender relays the events, the node does not publish them for now. */
    commit: (applied: AppliedGroup): void => {
      const { outcomes, unconfirmed } = applied.answer;
      node = applied.node;
      const postponedWork = applied.postponedWork > 0 && signalsMayWait() ? applied.postponedWork : 0;
      happens({ _tag: 'Committed', commands: outcomes.length, work: applied.work + postponedWork });
      if (unconfirmed === undefined) publishesItself();
      else leaveToApi.start();
    },
    continues: (): boolean => policy.continues,
    breaksOff: (): boolean => policy.breaksOff,
    /** For validators alone: their answer is not in the history. */
    sendsBack: (): boolean => {
      const now = wf.workflowInfo().unsafe.now();
      makesRoomSince = policy.makesRoom ? (makesRoomSince ?? now) : undefined;
      return makesRoomSince !== undefined && sendsBack(policy, Date.now(), now - makesRoomSince);
    },
    /** Has the node publish because it was asked to, by an update that brings no command. */
    isAskedToPublish: (): void => {
      publishesItself();
      happens({ _tag: 'Committed', commands: 0, work: 0 });
    },
    /** The last event that the node publishes by itself; those after it are left to the API. */
    publishesUpTo: (): string => publishesUpTo,
    hasToPublish: (): boolean => {
      const [oldest] = node.outbox.waiting;
      return oldest !== undefined && oldest.sequenceId <= publishesUpTo;
    },
    /** A publication ended; the stream's newest event of this node is `newest`. */
    published: (newest: string): void => {
      const { sequenceId } = node.state;
      node = afterPublication(node, newest);
      if (node.state.sequenceId === sequenceId) return;
      wf.log.warn('the stream has newer events of this node: its ids go on above them', { nodeId: node.state.nodeId });
      publishesItself();
    },
  };
};

/**
 * Whether signals may wait and all work counts, which is not so in the replay of what an earlier release did. The first answer leaves
 * a marker in the history.
 */
export const signalsMayWait = (): boolean => wf.patched(SIGNALS_WAIT);

/** Does `work` a `duration` after it was started, unless it is cancelled before. A cancel request to the workflow does not reach it. */
export const onceAfter = (duration: Parameters<typeof wf.sleep>[0] | (() => number), work: () => void) => {
  let underWay: wf.CancellationScope | undefined;
  return {
    /** Requests until then are part of the first. */
    start: (): void => {
      if (underWay !== undefined) return;
      void wf.CancellationScope.nonCancellable(async () => {
        const own = new wf.CancellationScope({ cancellable: true });
        underWay = own;
        try {
          await own.run(() => wf.sleep(typeof duration === 'function' ? duration() : duration));
        } catch {
          return; // cancelled
        }
        if (underWay !== own) return;
        underWay = undefined;
        work();
      });
    },
    cancel: (): void => {
      const cancelled = underWay;
      underWay = undefined;
      cancelled?.cancel();
    },
  };
};

/**
 * Runs `life`, which ends by continuing as new, deaf to cancel requests. Whatever else it throws would end the workflow and lose its
 * state. So it fails the workflow task: the node waits, seen in `/readyz` and metrics, for a release that corrects it.
 */
export const neverEnding = (life: () => Promise<never>): Promise<never> =>
  wf.CancellationScope.nonCancellable(life).catch((end: unknown) => {
    throw end instanceof wf.ContinueAsNew ? end : new Error(`a node must not end: ${String(end)}`, { cause: end });
  });

/** `decide`, made once for the validator of an update and its handler. */
export const decidedOnce = <Payload, A>(node: () => Node, decide: (node: Node, payload: Payload, now: number) => A) => {
  let validated:
    { readonly node: Node; readonly payload: Payload; readonly now: number; readonly decision: A } | undefined;
  return {
    validate: (payload: Payload): A => {
      const asked = { node: node(), payload, now: Date.now() };
      const decision = decide(asked.node, payload, asked.now);
      validated = { ...asked, decision };
      return decision;
    },
    /** What the validator was told, as long as node and time are those of then. A replay, which runs no validator, decides here. */
    decided: (payload: Payload): A => {
      const known = validated;
      validated = undefined; // its payload may be large
      const [of, now] = [node(), Date.now()];
      const isOfNow = known?.node === of && known.payload === payload && known.now === now;
      return isOfNow ? known.decision : decide(of, payload, now);
    },
  };
};
