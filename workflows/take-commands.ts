import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as wf from '@temporalio/workflow';
import { worstOf } from './domain/alarm/parts';
import { commandNames, commands, isCommandName, type CommandName } from './domain/commands';
import { applyCommand } from './domain/node/apply-commands';
import type { Entropy } from './domain/ulid';
import { draw, noDraw } from './draw';
import { orFail } from './failures';
import type { FollowedRun } from './follow-run';
import type { HeldNode } from './held-node';
import { signals, updates } from './messages';
import { reportDefect, reportRefusal, reportUnknown } from './reports';
import { mustBeReadable, refuseUnreadable } from './unreadable';

/** Takes each command as an update and as a signal of its name. */
export const takeCommands = (held: HeldNode, run: FollowedRun): void => {
  const consider =
    (name: CommandName, payload: unknown) =>
    (entropy: () => Entropy): ReturnType<typeof applyCommand> =>
      applyCommand(held.node(), name, payload, Date.now(), entropy);

  const signalled = (name: string, payload: unknown): void => {
    try {
      if (!isCommandName(name)) {
        reportUnknown(name);
        return;
      }
      pipe(
        consider(name, payload)(draw),
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
      updates[name],
      (payload) => {
        mustBeReadable(payload);
        held.commit(
          orFail(() => consider(name, payload)(draw)),
          1,
        );
        const { state } = held.node();
        return { revision: state.revision, status: worstOf(state.parts) };
      },
      {
        validator: (payload) => {
          refuseUnreadable(payload);
          orFail(() => consider(name, payload)(noDraw));
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
