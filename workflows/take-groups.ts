import * as wf from '@temporalio/workflow';
import { decidedOnce } from './decided-once';
import { applyGroup } from './domain/node/apply-group';
import { continuesAsNew, nothingApplied, nothingWaits, orFail } from './failures';
import type { FollowedRun } from './follow-run';
import type { HeldNode } from './held-node';
import { applyCommandsUpdate, publishNowUpdate } from './messages';
import { mustBeReadable, refuseUnreadable } from './unreadable';

/** Takes the two updates of the API: groups of commands, and the request to publish. */
export const takeGroups = (held: HeldNode, run: FollowedRun): void => {
  const group = decidedOnce(held.node, (node, payload, now) => orFail(() => applyGroup(node, payload, now)));

  wf.setHandler(
    applyCommandsUpdate,
    (payload) => {
      mustBeReadable(payload);
      const applied = group.decided(payload);
      held.commit(applied, applied.answer.outcomes.length, applied.answer.unconfirmed !== undefined);
      return applied.answer;
    },
    {
      validator: (payload) => {
        refuseUnreadable(payload);
        if (run.sendsBack()) throw continuesAsNew();
        const { events, answer } = group.validate(payload);
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
