import * as wf from '@temporalio/workflow';
import { applyGroup, type AppliedGroup } from './domain/node/apply-group';
import type { Entropy } from './domain/ulid';
import { draw, noDraw } from './draw';
import { continuesAsNew, nothingApplied, nothingWaits, orFail } from './failures';
import type { FollowedRun } from './follow-run';
import type { HeldNode } from './held-node';
import { applyCommandsUpdate, publishNowUpdate } from './messages';
import { mustBeReadable, refuseUnreadable } from './unreadable';

/** Takes the two updates of the API: groups of commands, and the request to publish. */
export const takeGroups = (held: HeldNode, run: FollowedRun): void => {
  const consider = (payload: unknown, entropy: () => Entropy): AppliedGroup =>
    orFail(() => applyGroup(held.node(), payload, Date.now(), entropy));

  wf.setHandler(
    applyCommandsUpdate,
    (payload) => {
      mustBeReadable(payload);
      const applied = consider(payload, draw);
      held.commit(applied, applied.answer.outcomes.length, applied.answer.unconfirmed !== undefined);
      return applied.answer;
    },
    {
      validator: (payload) => {
        refuseUnreadable(payload);
        if (run.sendsBack()) throw continuesAsNew();
        const { events, answer } = consider(payload, noDraw);
        if (events.length === 0) throw nothingApplied(answer);
      },
      description:
        'Several commands in order: {"commands": [{"name": "recalculate", "userId": "..."}, ...]}, each answered on its own. Any command may carry cause: {"requestId": "...", "traceparent": "..."}, for logs and events.',
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
        if (held.node().outbox.waiting.length === 0) throw nothingWaits();
      },
      description: 'Has the node publish by itself all events that wait.',
    },
  );
};
