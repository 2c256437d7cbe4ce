import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

/** A promise that was seen broken, and where. */
export interface Breach {
  readonly promise: string;
  readonly nodeId: string;
  readonly found: string;
}

/** What really happened, as no process of the service can see it. */
export interface Truth {
  /** Every event that a node committed, in order, also those that a reset undid. */
  readonly committed: (nodeId: string) => ReadonlyArray<OutboxEvent>;
  /** When (virtual ms) an event was last appended; absent where it never was. */
  readonly appendedAt: (nodeId: string, sequenceId: string) => number | undefined;
  /** Whether a reset undid the commit of an event. */
  readonly isUndone: (nodeId: string, sequenceId: string) => boolean;
  /** Whether a node was ever reset, and to its first task. */
  readonly wasReset: () => boolean;
  readonly wasBegunAnew: () => boolean;
  /** What waits in the node now. */
  readonly waiting: (nodeId: string) => ReadonlyArray<OutboxEvent>;
  readonly breaches: ReadonlyArray<Breach>;
  readonly nodeCommitted: (nodeId: string, pending: ReadonlyArray<OutboxEvent>) => void;
  /** A node was reset to where `pending` waited; the events of `undone` besides are as if they had never been. */
  readonly nodeReset: (
    nodeId: string,
    pending: ReadonlyArray<OutboxEvent>,
    undone: ReadonlyArray<OutboxEvent>,
    isBegunAnew: boolean,
  ) => void;
  readonly streamTook: (nodeId: string, sequenceId: string) => void;
  readonly breach: (breach: Breach) => void;
}

interface NodeTruth {
  readonly events: OutboxEvent[];
  readonly ids: Set<string>;
  readonly undone: Set<string>;
  readonly appended: Map<string, number>;
  waiting: ReadonlyArray<OutboxEvent>;
}

/** Keeps the truth, and finds at once what must never be: an event in the stream that no node committed, an event that a node forgot and the stream never had. */
export const createTruth = (now: () => number, wasLost: (nodeId: string, sequenceId: string) => boolean): Truth => {
  const nodes = new Map<string, NodeTruth>();
  const breaches: Breach[] = [];
  let hasReset = false;
  let hasBegunAnew = false;
  const of = (nodeId: string): NodeTruth => {
    const known = nodes.get(nodeId);
    if (known !== undefined) return known;
    const made = { events: [], ids: new Set<string>(), undone: new Set<string>(), appended: new Map(), waiting: [] };
    nodes.set(nodeId, made);
    return made;
  };
  return {
    committed: (nodeId) => of(nodeId).events,
    appendedAt: (nodeId, sequenceId) => of(nodeId).appended.get(sequenceId),
    isUndone: (nodeId, sequenceId) => of(nodeId).undone.has(sequenceId),
    wasReset: () => hasReset,
    wasBegunAnew: () => hasBegunAnew,
    waiting: (nodeId) => of(nodeId).waiting,
    breaches,
    nodeCommitted: (nodeId, pending) => {
      const node = of(nodeId);
      if (node.waiting === pending) return;
      const oldest = pending[0]?.sequenceId;
      for (const { sequenceId } of node.waiting) {
        if (oldest !== undefined && sequenceId >= oldest) break;
        if (!node.appended.has(sequenceId) && !wasLost(nodeId, sequenceId))
          breaches.push({ promise: 'forgotten', nodeId, found: `${sequenceId} is in no stream` });
      }
      const last = node.events.at(-1)?.sequenceId ?? '';
      for (const event of pending) {
        if (event.sequenceId <= last && !node.ids.has(event.sequenceId))
          breaches.push({ promise: 'disordered', nodeId, found: `${event.sequenceId} is committed after ${last}` });
        if (node.ids.has(event.sequenceId)) continue;
        node.ids.add(event.sequenceId);
        node.events.push(event);
      }
      node.waiting = pending;
    },
    nodeReset: (nodeId, pending, undone, isBegunAnew) => {
      hasReset = true;
      hasBegunAnew ||= isBegunAnew;
      const node = of(nodeId);
      const kept = new Set(pending.map(({ sequenceId }) => sequenceId));
      for (const { sequenceId } of undone) if (!kept.has(sequenceId)) node.undone.add(sequenceId);
      node.waiting = pending;
    },
    streamTook: (nodeId, sequenceId) => {
      const node = of(nodeId);
      if (!node.ids.has(sequenceId))
        breaches.push({ promise: 'uncommitted', nodeId, found: `${sequenceId} is in the stream` });
      node.appended.set(sequenceId, now());
    },
    breach: (breach) => {
      breaches.push(breach);
    },
  };
};
