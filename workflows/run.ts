import * as wf from '@temporalio/workflow';
import { fractionOf } from './domain/digest';
import type { AppliedGroup } from './domain/node/apply-group';
import { CARRIED_SIGNALS_BYTES } from './domain/limits';
import { afterPublication } from './domain/node/publication';
import { nextPolicy, shouldRecheck, newRunPolicy, shouldSendBack, type RunEvent } from './domain/node/run-policy';
import type { Node, WaitingSignal } from './domain/node/state';
import { newWaitingSignals } from './signal-queue';

/** A run can end only in a task without a signal. While signals come, an overdue run begins further tasks by this timer. */
const RECHECK_AFTER = '250 milliseconds';

/**
 * Grace period (ms) before a node publishes events that the API was to publish. The period is multiplied by 1 to 2, depending
 * on the node's id.
 */
const RELAY_GRACE_MS = 3_600_000;

/** A node in one of its runs (`run-policy.ts` decides when the run ends). */
export type Run = ReturnType<typeof createRun>;

export const createRun = (initialNode: Node, signals: ReadonlyArray<WaitingSignal>) => {
  let node = initialNode;
  let policy = newRunPolicy(Math.random());
  const waitingSignals = newWaitingSignals(signals);
  let publishesUpTo = node.state.sequenceId;
  /** Since when the node refuses groups so that its run can end (`isBlockedBySignals`): epoch ms of the worker's clock. */
  let blockedBySignalsSince: number | undefined;
  /** Reports to the run policy what happened, together with facts of the workflow task that a replay sees as well. */
  const recordRunEvent = (event: RunEvent): void => {
    const { historyLength: lastEvent, historySize: historyBytes, continueAsNewSuggested } = wf.workflowInfo();
    const signalsWait = waitingSignals.bytes() > CARRIED_SIGNALS_BYTES;
    const task = { lastEvent, now: Date.now(), historyBytes, continueAsNewSuggested, signalsWait };
    policy = nextPolicy(policy, event, task);
    if (shouldRecheck(policy, event, task)) recheckTimer.start();
  };
  const recheckTimer = createTimer(RECHECK_AFTER, () => recordRunEvent({ _tag: 'LookedAgain' }));
  /** Has the node publish all events that it committed so far, by the publish activity. */
  const publishByActivity = (): void => {
    publishesUpTo = node.state.sequenceId;
  };
  /**
   * Timer of the grace period, after which the node publishes events itself. It matters if an API process ended before it
   * published them, and Redis lost the process's publish intent: the record by which other API processes find such events.
   */
  const relayGraceTimer = createTimer(
    Math.round(RELAY_GRACE_MS * (1 + fractionOf(node.state.nodeId))),
    publishByActivity,
  );
  return {
    node: (): Node => node,
    waitingSignals,
    recordRunEvent,
    publishByActivity,
    /** Counts the work of a command that was decided but changed nothing. */
    recordUnchanged: (work: number): void => recordRunEvent({ _tag: 'NothingChanged', work }),
    /** Commits the result of a group. If the group's sender publishes the events, the node leaves them to the sender. */
    commit: (applied: AppliedGroup): void => {
      const { outcomes, unconfirmed } = applied.answer;
      node = applied.node;
      recordRunEvent({ _tag: 'Committed', commands: outcomes.length, work: applied.work + applied.postponedWork });
      if (unconfirmed === undefined) publishByActivity();
      else relayGraceTimer.start();
    },
    shouldContinueAsNew: (): boolean => policy.shouldContinueAsNew,
    shouldCancelPublication: (): boolean => policy.shouldCancelPublication,
    /**
     * Whether to send a group back, so that the API tries again and the run can end. Only validators may call this, because it
     * reads the worker's clock: the refusal of a validator leaves no history that a replay must repeat.
     */
    shouldSendBack: (): boolean => {
      const now = wf.workflowInfo().unsafe.now();
      blockedBySignalsSince = policy.isBlockedBySignals ? (blockedBySignalsSince ?? now) : undefined;
      return blockedBySignalsSince !== undefined && shouldSendBack(policy, Date.now(), now - blockedBySignalsSince);
    },
    /** Carries out `publishNow`, an update without commands: the node itself publishes all waiting events. */
    handlePublishNow: (): void => {
      publishByActivity();
      recordRunEvent({ _tag: 'Committed', commands: 0, work: 0 });
    },
    /** Id of the last event that the node publishes by itself. Later events are left to the API. */
    publishesUpTo: (): string => publishesUpTo,
    hasToPublish: (): boolean => {
      const [oldest] = node.outbox.waiting;
      return oldest !== undefined && oldest.sequenceId <= publishesUpTo;
    },
    /** Takes the result of a publication: `newest` is the id of the node's newest event in the stream. */
    applyPublication: (newest: string): void => {
      const { sequenceId } = node.state;
      node = afterPublication(node, newest);
      if (node.state.sequenceId === sequenceId) return;
      wf.log.warn('the stream has newer events of this node: its ids go on above them', { nodeId: node.state.nodeId });
      publishByActivity();
    },
  };
};

/** Creates a timer: `work` runs `duration` after `start`, unless `cancel` comes first. A cancelled workflow keeps the timer. */
export const createTimer = (duration: Parameters<typeof wf.sleep>[0] | (() => number), work: () => void) => {
  let currentScope: wf.CancellationScope | undefined;
  return {
    /** Starts the timer. While the timer runs, another call does nothing. */
    start: (): void => {
      if (currentScope !== undefined) return;
      void wf.CancellationScope.nonCancellable(async () => {
        const own = new wf.CancellationScope({ cancellable: true });
        currentScope = own;
        try {
          await own.run(() => wf.sleep(typeof duration === 'function' ? duration() : duration));
        } catch {
          return; // the timer was cancelled
        }
        if (currentScope !== own) return;
        currentScope = undefined;
        work();
      });
    },
    cancel: (): void => {
      const cancelled = currentScope;
      currentScope = undefined;
      cancelled?.cancel();
    },
  };
};

/**
 * Runs `life` until it continues as new; cancel requests do not end it. Any other end would lose the node's state, so it fails
 * the workflow task instead of the workflow. The node then waits for a corrected release, and `/readyz` and metrics show this.
 */
export const failUnlessContinuedAsNew = (life: () => Promise<never>): Promise<never> =>
  wf.CancellationScope.nonCancellable(life).catch((end: unknown) => {
    throw end instanceof wf.ContinueAsNew ? end : new Error(`a node must not end: ${String(end)}`, { cause: end });
  });

/** Lets the validator and the handler of an update share one call of `decide`. */
export const createSharedDecision = <Payload, A>(
  node: () => Node,
  decide: (node: Node, payload: Payload, now: number) => A,
) => {
  let validated:
    { readonly node: Node; readonly payload: Payload; readonly now: number; readonly decision: A } | undefined;
  return {
    validate: (payload: Payload): A => {
      const asked = { node: node(), payload, now: Date.now() };
      const decision = decide(asked.node, payload, asked.now);
      validated = { ...asked, decision };
      return decision;
    },
    /** Returns the validator's decision if node, payload and time are still the same. Else it decides here, as in a replay. */
    decisionFor: (payload: Payload): A => {
      const known = validated;
      validated = undefined; // released at once, because its payload may be large
      const [of, now] = [node(), Date.now()];
      const isOfNow = known?.node === of && known.payload === payload && known.now === now;
      return isOfNow ? known.decision : decide(of, payload, now);
    },
  };
};
