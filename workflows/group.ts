import * as E from 'fp-ts/Either';
import type { UpdateDefinition } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import { reasonsInWords } from './domain/codecs';
import { createNodeCounter } from './create-node-counter';
import { worstOf } from './domain/alarm/parts';
import { clockAhead } from './domain/measurement/measurement';
import { applyCommand, applyGroup, type AppliedGroup } from './domain/node/apply-group';
import { traceContextOf } from './domain/node/cause';
import { commandNames, commands, type TimedCommand, type Refusal } from './domain/node/commands';
import { measurementsIn } from './domain/node/evolve';
import { enqueuedAfter } from './domain/node/outbox';
import type { Node } from './domain/node/state';
import { unitMismatches } from './domain/rating/rate';
import {
  applyCommandsUpdate,
  CONTINUES_AS_NEW,
  NOTHING_APPLIED,
  NOTHING_WAITS,
  publishNowUpdate,
  updates,
  type Receipt,
} from './messages';
import { createSharedDecision, type Run } from './run';
import { failTaskIfUnreadable, rejectIfUnreadable } from './sandbox';
import { handleSignals } from './signals';

/** Sets the handlers of groups and of single commands, as updates or signals. Calls `onCommitted` after each commit. */
export const handleUpdates = (run: Run, onCommitted: () => void): ReturnType<typeof handleSignals> => {
  const commit = (applied: AppliedGroup): void => {
    const before = run.node();
    run.commit(applied);
    reportCommit(before, applied);
    onCommitted();
  };

  /** Sets an update's handlers: the validator decides, the handler commits. If `answerOf` throws, the update is refused. */
  const setUpdateHandlers = <Answer>(
    update: UpdateDefinition<Answer, [unknown]>,
    description: string,
    decide: (node: Node, payload: unknown, now: number) => E.Either<Refusal, AppliedGroup>,
    answerOf: (applied: AppliedGroup) => Answer,
    ensureAccepted: () => void = () => undefined,
  ): void => {
    const sharedDecision = createSharedDecision(run.node, (node, payload: unknown, now) => {
      const applied = acceptedOrThrow(() => decide(node, payload, now));
      return { applied, answer: answerOf(applied) };
    });
    wf.setHandler(
      update,
      (payload) => {
        failTaskIfUnreadable(payload);
        const { applied, answer } = sharedDecision.decisionFor(payload);
        commit(applied);
        return answer;
      },
      {
        // An update that the validator refuses leaves no history and costs the server no write.
        validator: (payload) => {
          rejectIfUnreadable(payload);
          ensureAccepted();
          sharedDecision.validate(payload);
        },
        description,
      },
    );
  };

  const signalHandlers = handleSignals(run, commit);
  for (const name of commandNames) {
    const { description } = commands[name];
    setUpdateHandlers(
      updates[name],
      description,
      (node, payload, now) => applyCommand(node, name, payload, now),
      receiptOf,
    );
  }
  setUpdateHandlers(
    applyCommandsUpdate,
    'Several commands in order: {"commands": [{"name": "recalculate", "userId": "..."}, ...]}, each answered on its own. Any command may carry cause: {"requestId": "...", "traceparent": "..."}, for logs and events.',
    applyGroup,
    ({ events, answer }) => {
      if (events.length === 0) throw failure(NOTHING_APPLIED, 'nothing was changed', answer);
      return answer;
    },
    () => {
      if (run.shouldSendBack()) throw failure(CONTINUES_AS_NEW, 'the node continues as new in a moment');
    },
  );
  wf.setHandler(
    publishNowUpdate,
    () => {
      run.handlePublishNow();
      return { waiting: run.node().outbox.waiting.length };
    },
    {
      validator: () => {
        if (run.node().outbox.waiting.length === 0) throw failure(NOTHING_WAITS, 'no event waits');
      },
      description: 'Has the node publish by itself all events that wait.',
    },
  );
  return signalHandlers;
};

const receiptOf = ({ node: { state }, events }: AppliedGroup): Receipt => ({
  revision: state.revision,
  status: worstOf(state.parts),
  changed: events.length > 0,
});

/** The failure of an update that changed nothing. */
const failure = (type: string, message: string, ...details: unknown[]): wf.ApplicationFailure =>
  wf.ApplicationFailure.create({ type, message, nonRetryable: true, details });

/**
 * Returns what `decide` accepts, or throws the failure that the caller gets. The failure's type is the tag of the rejection,
 * its first detail the rejection. Even a defect fails only the update: a failed workflow task is retried for ever, and blocks
 * the node.
 */
const acceptedOrThrow = <A>(decide: () => E.Either<Refusal, A>): A => {
  const decided = E.tryCatch(decide, (defect) => failure('Defect', String(defect)));
  if (E.isLeft(decided)) throw decided.left;
  if (E.isRight(decided.right)) return decided.right.right;
  const rejection = decided.right.left;
  const reasons = 'reasons' in rejection ? rejection.reasons.slice(0, 5) : [];
  const message = reasonsInWords(reasons) || rejection._tag;
  throw failure(rejection._tag, message, rejection);
};

const unitMismatchCount = createNodeCounter('unitMismatches');
const clocksAhead = createNodeCounter('clocksAhead');
const committedEvents = createNodeCounter('committedEvents');

/**
 * Logs all commands of a commit in one record, because each call out of the sandbox copies all that the SDK knows of the
 * workflow. The worker splits the record into a line for each command (`worker/sdk-metrics.ts`). The function also counts the
 * new events, and reports measurements with a wrong unit or date.
 */
const reportCommit = (before: Node, { node, commands, events }: AppliedGroup): void => {
  if (commands.length > 0) wf.log.info('command', { commands: commands.map((command) => lineOf(node, command)) });
  // New events are found by id, not by their count: the same commit may have dropped published events from the outbox.
  const types = enqueuedAfter(node.outbox, before.state.sequenceId).map(({ type }) => type);
  for (const type of new Set(types)) committedEvents.add(types.filter((one) => one === type).length, { type });
  for (const recorded of measurementsIn(before.state.threshold, events)) reportOddities(node.state.nodeId, recorded);
};

const lineOf = (
  { state: { nodeId } }: Node,
  { name: command, userId, cause }: TimedCommand,
): Record<string, unknown> => {
  const trace = traceContextOf(cause?.traceparent ?? '');
  return { nodeId, command, userId, requestId: cause?.requestId, traceId: trace?.traceId, spanId: trace?.spanId };
};

/** Reports a measurement in another unit than the threshold's, or dated over a minute after its arrival. It is still rated. */
const reportOddities = (
  nodeId: string,
  { measurement, arrivedAt, threshold }: ReturnType<typeof measurementsIn>[number],
): void => {
  const mismatches = unitMismatches(threshold, measurement);
  if (mismatches.length > 0) {
    unitMismatchCount.add(1);
    wf.log.warn('the unit of a measurement differs from the threshold', { nodeId, mismatches });
  }
  const { measurementId, createdAt } = measurement;
  const aheadMs = clockAhead(createdAt, arrivedAt);
  if (aheadMs !== undefined) {
    clocksAhead.add(1);
    wf.log.warn('a measurement is dated after its arrival', { nodeId, measurementId, aheadMs });
  }
};
