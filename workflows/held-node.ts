import * as wf from '@temporalio/workflow';
import type { Publication } from '../activities/activities';
import { worstOf } from './domain/alarm/parts';
import type { Status } from './domain/alarm/status';
import { fractionOf } from './domain/digest';
import { carriedOn, type Begun, type Accepted, type Node } from './domain/node/node';
import { describeNode } from './domain/node/describe';
import { dequeue } from './domain/node/outbox';
import { type FollowedRun, onceAfter } from './run';
import { reportCommit } from './reports';
import {
  alarmStatusView,
  revisedThreshold,
  snapshotView,
  showing,
  SHOWN_EVERY_MS,
  type ShownStatus,
} from './domain/node/views';
import { queries } from './messages';
import { defineSearchAttributeKey } from '@temporalio/common';
import { STATUS_ATTRIBUTE } from './names';

/**
 * Grace period before the node publishes events that its API was to relay; 1 to 2 times as long by the node's id, lest nodes
 * that were taken into use together all wake at once. It wakes each node once in this time, so many idle nodes want it long.
 */
const RELAY_GRACE_MS = 3_600_000;
const relayGraceOf = (nodeId: string): number => Math.round(RELAY_GRACE_MS * (1 + fractionOf(nodeId)));

/** The node in its run: what it knows, and up to where it publishes by itself. */
export interface HeldNode {
  readonly node: () => Node;
  /** Commits what `commands` commands came to; where the API relays the events, the node does not publish them for now. */
  readonly commit: (accepted: Accepted, commands: number, isRelayed?: boolean) => void;
  /** The node publishes all that waits by its activity. */
  readonly publishesItself: () => void;
  /** Whether events wait that the node publishes by itself. */
  readonly hasToPublish: () => boolean;
  /** What waits to be published, as the activity takes it. */
  readonly publication: () => Publication;
  /** Keeps the search attribute from now on: of a node that was begun without. */
  readonly keepStatusAttribute: () => void;
  /** Drops what is in the stream, up to the event `sequenceId`. */
  readonly drop: (sequenceId: string) => void;
  /** What the next run begins with. Nothing may happen to the node after it. */
  readonly end: () => unknown;
}

/** Holds the node of a run, shows it to operators (current details), and feeds each commit to `run`. */
export const holdNode = (begun: Begun, run: FollowedRun): HeldNode => {
  let { node } = begun;
  const status = (): Status => worstOf(node.state.parts);
  let attribute = begun.keepsStatusAttribute ? keepStatusAttribute(status()) : undefined;
  /** The last event that the node publishes by itself; those after it are left to the API. */
  let publishesUpTo = node.state.sequenceId;
  const publishesItself = (): void => {
    publishesUpTo = node.state.sequenceId;
  };
  /** An API may end before it publishes, and its publish intent may be lost with Redis. */
  const leaveToApi = onceAfter(relayGraceOf(node.state.nodeId), publishesItself);
  /** Text that is made only where somebody looks: the SDK writes the details as JSON, into the answer of a query. */
  const details = { toJSON: () => describeNode(node, publishesUpTo) };
  wf.setCurrentDetails(details as never); // its type knows text alone
  return {
    node: () => node,
    commit: (accepted, commands, isRelayed = false) => {
      const before = node;
      node = accepted.node;
      run.happens({ _tag: 'Committed', commands, work: accepted.work });
      if (isRelayed) leaveToApi.start();
      else publishesItself();
      reportCommit(before, accepted);
      attribute?.follow(status());
    },
    publishesItself,
    hasToPublish: () => {
      const [oldest] = node.outbox.waiting;
      return oldest !== undefined && oldest.sequenceId <= publishesUpTo;
    },
    publication: () => ({
      nodeId: node.state.nodeId,
      events: node.outbox.waiting,
      ...(attribute === undefined && { seeksStatusAttribute: true }),
    }),
    keepStatusAttribute: () => {
      if (attribute !== undefined) return;
      attribute = keepStatusAttribute();
      attribute.settle(status());
    },
    drop: (sequenceId) => {
      node = { ...node, outbox: dequeue(node.outbox, sequenceId) };
    },
    end: () => {
      attribute?.settle(status());
      return carriedOn({ node, keepsStatusAttribute: attribute !== undefined });
    },
  };
};

/** Answers queries of the node as it is. */
export const answerQueries = (node: () => Node): void => {
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
};

const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');

/** The search attribute of a node's run, by which operators find nodes of a status. */
interface KeptStatusAttribute {
  /** Lets it follow: at once where it did not change lately, else with a later command or by a timer. */
  readonly follow: (status: Status) => void;
  /** Lets it be what the node is, as the run ends: the next run begins with it. */
  readonly settle: (status: Status) => void;
}

/** Keeps the attribute of a run that began with `status` in it, or without it. */
const keepStatusAttribute = (status?: Status): KeptStatusAttribute => {
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
