import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import type { Status } from './domain/alarm/status';
import { showing, SHOWN_EVERY_MS, type ShownStatus } from './domain/node/shown-status';
import { STATUS_ATTRIBUTE } from './names';

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
  const later = cancellableTimer(SHOWN_EVERY_MS, () => {
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

/** Does `work` after `ms`, unless it is cancelled before. A cancel request to the workflow does not reach it. */
const cancellableTimer = (
  ms: number,
  work: () => void,
): { readonly start: () => void; readonly cancel: () => void } => {
  let scope: wf.CancellationScope | undefined;
  const cancel = (): void => {
    const running = scope;
    scope = undefined;
    running?.cancel();
  };
  const start = (): void => {
    if (scope !== undefined) return;
    void wf.CancellationScope.nonCancellable(async () => {
      const own = new wf.CancellationScope({ cancellable: true });
      scope = own;
      try {
        await own.run(() => wf.sleep(ms));
      } catch {
        return; // cancelled
      }
      if (scope !== own) return;
      scope = undefined;
      work();
    });
  };
  return { start, cancel };
};
