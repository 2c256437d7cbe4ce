import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import { worstOf } from './domain/alarm/parts';
import type { Status } from './domain/alarm/status';
import type { Node } from './domain/node/state';
import { STATUS_ATTRIBUTE } from './messages';
import { createTimer } from './run';

/** Time (ms) without a change after which a node's status counts as steady. */
export const STEADY_MS = 120_000;

/**
 * Least time (ms) between two writes of the search attribute. A write costs Temporal's server about as much as a command of a
 * caller. At the end of a run the node writes at once.
 */
export const WRITTEN_EVERY_MS = 2_000;

const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');

/**
 * Keeps the search attribute by which operators find nodes of a status. A node flaps if its status gets worse within two
 * minutes of getting better. For the next two minutes, a better status is written only once it has lasted two minutes. So the
 * attribute of a flapping node shows the worst status.
 */
export const createStatusAttributeWriter = (node: () => Node) => {
  const status = (): Status => worstOf(node().state.parts);
  let written = node().state.keepsStatusAttribute ? { status: status(), at: Date.now() } : undefined;
  /** The last status seen in this run; when it changed, when it got better, and when it got worse soon after (epoch ms). */
  let last = { status: status(), changedAt: -Infinity, betterAt: -Infinity, relapsedAt: -Infinity };
  const isWithin = (since: number, ms: number): boolean => Date.now() - since < ms;
  const recordStatus = (): void => {
    const [now, is] = [Date.now(), status()];
    if (is === last.status) return;
    const relapsedAt = is > last.status && isWithin(last.betterAt, STEADY_MS) ? now : last.relapsedAt;
    last = { status: is, changedAt: now, betterAt: is < last.status ? now : last.betterAt, relapsedAt };
  };
  /**
   * Writes the status unless the attribute has it already. A run must call this before it ends, because the next run assumes
   * that the attribute is up to date.
   */
  const flush = (): void => {
    nextWriteTimer.cancel();
    if (!node().state.keepsStatusAttribute) written = undefined;
    else if (written?.status !== status()) write();
  };
  const write = (): void => {
    written = { status: status(), at: Date.now() };
    wf.upsertSearchAttributes([{ key: statusAttribute, value: written.status }]);
  };
  // The timer runs two seconds from now, not from the last write. On a busy node, a later command then writes the attribute in
  // its own workflow task before the timer ends. The end of the timer would cost one more task.
  const nextWriteTimer = createTimer(WRITTEN_EVERY_MS, flush);
  const steadyTimer = createTimer(
    () => last.changedAt + STEADY_MS - Date.now(),
    () => {
      if (written?.status === status()) return;
      if (isWithin(last.changedAt, STEADY_MS)) steadyTimer.start();
      else flush();
    },
  );
  return {
    /** Updates the attribute at once; or by a timer, if the last write was under 2 s ago, or if a flapping node got better. */
    update: (): void => {
      recordStatus();
      const isBetter = written !== undefined && status() < written.status;
      if (isBetter && isWithin(last.relapsedAt, STEADY_MS)) {
        nextWriteTimer.cancel();
        steadyTimer.start();
      } else if (written === undefined || written.status === status() || !isWithin(written.at, WRITTEN_EVERY_MS))
        flush();
      else nextWriteTimer.start();
    },
    flush,
  };
};
