import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as wf from '@temporalio/workflow';
import { decidedOnce } from './decided-once';
import { worstOf } from './domain/alarm/parts';
import { commandNames, commands, isCommandName } from './domain/commands';
import { applyCommand } from './domain/node/apply-commands';
import { orFail } from './failures';
import type { FollowedRun } from './follow-run';
import type { HeldNode } from './held-node';
import { signals, updates } from './messages';
import { reportDefect, reportRefusal, reportUnknown } from './reports';
import { mustBeReadable, refuseUnreadable } from './unreadable';

/** Takes each command as an update and as a signal of its name. */
export const takeCommands = (held: HeldNode, run: FollowedRun): void => {
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
    const command = decidedOnce(held.node, (node, payload, now) =>
      orFail(() => applyCommand(node, name, payload, now)),
    );
    wf.setHandler(
      updates[name],
      (payload) => {
        mustBeReadable(payload);
        held.commit(command.decided(payload), 1);
        const { state } = held.node();
        return { revision: state.revision, status: worstOf(state.parts) };
      },
      {
        validator: (payload) => {
          refuseUnreadable(payload);
          command.validate(payload);
        },
        description,
      },
    );
    wf.setHandler(
      signals[name],
      (payload) => {
        signalled(name, payload);
      },
      { description },
    );
  }
};
