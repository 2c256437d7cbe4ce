import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { UpdateDefinition } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import { worstOf } from './domain/alarm/parts';
import { commandNames, commands, isCommandName } from './domain/commands/commands';
import type { Rejection } from './domain/commands/rejections';
import { applyCommand, applyGroup } from './domain/node/apply-group';
import type { Accepted, Node } from './domain/node/node';
import type { HeldNode } from './held-node';
import {
  applyCommandsUpdate,
  CONTINUES_AS_NEW,
  NOTHING_APPLIED,
  NOTHING_WAITS,
  publishNowUpdate,
  signals,
  updates,
} from './messages';
import { reportDefect, reportRefusal, reportUnknown } from './reports';
import { decidedOnce, type FollowedRun } from './run';
import { mustBeReadable, refuseUnreadable } from './sandbox';

/** Takes commands: the groups of the API, and each one as an update or a signal of its name, as operators send it. */
export const takeCommands = (held: HeldNode, run: FollowedRun): void => {
  /** Takes an update that `decide` accepts, or throws the failure that its caller gets; `mayCome` may refuse it still. */
  const take = <A extends Accepted, Answer>(
    update: UpdateDefinition<Answer, [unknown]>,
    description: string,
    decide: (node: Node, payload: unknown, now: number) => E.Either<Rejection, A>,
    commit: (accepted: A) => Answer,
    mayCome: (accepted: () => A) => void = (accepted) => void accepted(),
  ): void => {
    const once = decidedOnce(held.node, (node, payload: unknown, now) => orFail(() => decide(node, payload, now)));
    wf.setHandler(
      update,
      (payload) => {
        mustBeReadable(payload);
        return commit(once.decided(payload));
      },
      {
        validator: (payload) => {
          refuseUnreadable(payload);
          mayCome(() => once.validate(payload));
        },
        description,
      },
    );
  };

  const signalled = (name: string, payload: unknown): void => {
    try {
      if (!isCommandName(name)) {
        reportUnknown(name);
        return;
      }
      pipe(
        applyCommand(held.node(), name, payload, Date.now()),
        E.match(reportRefusal(name), (accepted) => {
          held.commit(accepted, 1);
        }),
      );
    } catch (defect) {
      reportDefect(name, defect);
    } finally {
      run.happens({ _tag: 'Signalled' });
    }
  };

  // Signals that came before the run are delivered in the order of arrival only by the handler for any name.
  wf.setDefaultSignalHandler(signalled);
  for (const name of commandNames) {
    const { description } = commands[name];
    wf.setHandler(
      signals[name],
      (payload) => {
        signalled(name, payload);
      },
      { description },
    );
    take(
      updates[name],
      description,
      (node, payload, now) => applyCommand(node, name, payload, now),
      (accepted) => {
        held.commit(accepted, 1);
        const { state } = held.node();
        return { revision: state.revision, status: worstOf(state.parts) };
      },
    );
  }
  take(
    applyCommandsUpdate,
    'Several commands in order: {"commands": [{"name": "recalculate", "userId": "..."}, ...]}, each answered on its own. Any command may carry cause: {"requestId": "...", "traceparent": "..."}, for logs and events.',
    applyGroup,
    (applied) => {
      held.commit(applied, applied.answer.outcomes.length, applied.answer.unconfirmed !== undefined);
      return applied.answer;
    },
    (applied) => {
      if (run.sendsBack()) throw failure(CONTINUES_AS_NEW, 'the node continues as new in a moment');
      const { events, answer } = applied();
      // Answered from the validator, it leaves no history and costs no write.
      if (events.length === 0) throw failure(NOTHING_APPLIED, 'nothing was changed', answer);
    },
  );
  wf.setHandler(
    publishNowUpdate,
    () => {
      held.publishesItself();
      return { waiting: held.node().outbox.waiting.length };
    },
    {
      validator: () => {
        if (held.node().outbox.waiting.length === 0) throw failure(NOTHING_WAITS, 'no event waits');
      },
      description: 'Has the node publish by itself all events that wait.',
    },
  );
};

/** How an update fails that changed nothing. */
const failure = (type: string, message: string, ...details: unknown[]): wf.ApplicationFailure =>
  wf.ApplicationFailure.create({ type, message, nonRetryable: true, details });

/**
 * What `decide` accepts, or the failure that the caller gets: its type is the rejection's tag, its first detail the whole. A
 * defect fails the update too, and never the workflow task: that would be tried for ever and hold up the node.
 */
const orFail = <A>(decide: () => E.Either<Rejection, A>): A => {
  const decided = E.tryCatch(decide, (defect) => failure('Defect', String(defect)));
  if (E.isLeft(decided)) throw decided.left;
  if (E.isRight(decided.right)) return decided.right.right;
  const rejection = decided.right.left;
  const reasons = 'reasons' in rejection ? rejection.reasons.slice(0, 5) : [];
  const message = reasons.map(({ name, reason }) => `${name} ${reason}`).join('; ');
  throw failure(rejection._tag, 'reasons' in rejection ? message : rejection._tag, rejection);
};
