import * as wf from '@temporalio/workflow';
import type { Publication } from '../activities/publish-events';
import { worstOf } from './domain/alarm/parts';
import type { Status } from './domain/alarm/status';
import { fractionOf } from './domain/digest';
import { carriedOn, type Begun } from './domain/node/carried';
import { describeNode } from './domain/node/describe-node';
import type { Accepted, Node } from './domain/node/node';
import { dequeue } from './domain/node/outbox';
import type { FollowedRun } from './follow-run';
import { keepStatusAttribute } from './keep-status-attribute';
import { onceAfter } from './once-after';
import { reportCommit } from './reports';

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
