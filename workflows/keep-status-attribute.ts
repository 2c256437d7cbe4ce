import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import type { Status } from './domain/alarm/status';
import { showing, SHOWN_EVERY_MS, type ShownStatus } from './domain/node/shown-status';
import { STATUS_ATTRIBUTE } from './names';
import { onceAfter } from './once-after';

const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');

/** The search attribute of a node's run, by which operators find nodes of a status. */
export interface KeptStatusAttribute {
  /** Lets it follow: at once where it did not change lately, else with a later command or by a timer. */
  readonly follow: (status: Status) => void;
  /** Lets it be what the node is, as the run ends: the next run begins with it. */
  readonly settle: (status: Status) => void;
}

/** Keeps the attribute of a run that began with `status` in it, or without it. */
export const keepStatusAttribute = (status?: Status): KeptStatusAttribute => {
  const isFirstRun = wf.workflowInfo().continuedFromExecutionRunId === undefined;
  let shown: ShownStatus = { status, at: isFirstRun ? 0 : Date.now() };
  let latest = status;
  const settle = (now: Status): void => {
    later.cancel();
    if (now === shown.status) return;
    shown = { status: now, at: Date.now() };
    wf.upsertSearchAttributes([{ key: statusAttribute, value: now }]);
  };
  // As long as it may take at all, so that the next command of a node that is busy comes first: a timer costs a workflow task.
  const later = onceAfter(SHOWN_EVERY_MS, () => {
    if (latest !== undefined) settle(latest);
  });
  return {
    follow: (now) => {
      latest = now;
      if (showing(shown, now, Date.now()) === 'waits') later.start();
      else settle(now);
    },
    settle,
  };
};
