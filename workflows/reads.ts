import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import { worstOf } from './domain/alarm/parts';
import type { Status } from './domain/alarm/status';
import { describeNode } from './domain/node/current-details';
import { alarmStatusView, revisedThreshold, snapshotView, type Node } from './domain/node/state';
import { queries, STATUS_ATTRIBUTE, STATUS_LASTS } from './messages';
import { onceAfter, type Run } from './run';

/** Answers queries of the node as it is, and shows it to operators (current details). */
export const answerQueries = ({ node, publishesUpTo }: Run): void => {
  wf.setHandler(queries.threshold, () => revisedThreshold(node().state), {
    description: 'The threshold as the API shows it, with its revision.',
  });
  wf.setHandler(queries.alarmStatus, () => alarmStatusView(node().state), {
    description: 'The alarm status as the API shows it.',
  });
  wf.setHandler(queries.snapshot, () => snapshotView(node().state), {
    description: 'Threshold and alarm status together, and the last event of which they know.',
  });
  wf.setHandler(queries.pendingEvents, () => node().outbox.waiting, {
    description: 'Events that are committed and not yet known to be in the stream, oldest first.',
  });
  /** Text that is made only where somebody looks: the SDK writes the details as JSON, into the answer of a query. */
  const details = { toJSON: () => describeNode(node(), publishesUpTo()) };
  wf.setCurrentDetails(details as never); // its type knows text alone
};

/** The status of a node is steady once it did not change for so long (ms). */
export const STEADY_MS = 120_000;

/** A node writes its status into the search attribute at most once in this time (ms): a write costs as much as a command. */
export const WRITTEN_EVERY_MS = 2_000;

const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');

/**
 * The search attribute of a node that keeps it, by which operators find nodes of a status. While the status flaps, the attribute keeps
 * the worst one: a status flaps from when it gets worse soon after it got better, until it is steady.
 */
export const followStatus = (node: () => Node) => {
  const status = (): Status => worstOf(node().state.parts);
  let written = node().state.keepsStatusAttribute ? { status: status(), at: Date.now() } : undefined;
  /** The changes in this run. */
  let last = { status: status(), changedAt: -Infinity, betterAt: -Infinity, relapsedAt: -Infinity };
  const isWithin = (since: number, ms: number): boolean => Date.now() - since < ms;
  const notice = (): void => {
    const [now, is] = [Date.now(), status()];
    if (is === last.status) return;
    const relapsedAt = is > last.status && isWithin(last.betterAt, STEADY_MS) ? now : last.relapsedAt;
    last = { status: is, changedAt: now, betterAt: is < last.status ? now : last.betterAt, relapsedAt };
  };
  /** Lets it be what the node is, as the run ends: the next run begins with it. */
  const settle = (): void => {
    soon.cancel();
    if (!node().state.keepsStatusAttribute) written = undefined;
    else if (written?.status !== status()) write();
  };
  const write = (): void => {
    written = { status: status(), at: Date.now() };
    wf.upsertSearchAttributes([{ key: statusAttribute, value: written.status }]);
  };
  // As long as it may take at all, so that the next command of a node that is busy comes first: a timer costs a workflow task.
  const soon = onceAfter(WRITTEN_EVERY_MS, settle);
  const onceSteady = onceAfter(
    () => last.changedAt + STEADY_MS - Date.now(),
    () => {
      if (written?.status === status()) return;
      if (isWithin(last.changedAt, STEADY_MS)) onceSteady.start();
      else settle();
    },
  );
  return {
    /** Lets it follow the node: at once where it was not written lately, else by a timer; a better status once it is steady. */
    follow: (): void => {
      notice();
      const isBetter = written !== undefined && status() < written.status;
      if (isBetter && isWithin(last.relapsedAt, STEADY_MS) && wf.patched(STATUS_LASTS)) {
        soon.cancel();
        onceSteady.start();
      } else if (written === undefined || written.status === status() || !isWithin(written.at, WRITTEN_EVERY_MS))
        settle();
      else soon.start();
    },
    settle,
  };
};
