import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

/** A promise that was seen broken, and where. */
export interface Breach {
  readonly promise: string;
  readonly nodeId: string;
  readonly found: string;
}

/** What really happened, as no process of the service can see it. */
export interface Truth {
  /** Every event that a node committed, in order. */
  readonly committed: (nodeId: string) => ReadonlyArray<OutboxEvent>;
  /** When (virtual ms) an event was last appended; absent where it never was. */
  readonly appendedAt: (nodeId: string, sequenceId: string) => number | undefined;
  /** What waits in the node now. */
  readonly waiting: (nodeId: string) => ReadonlyArray<OutboxEvent>;
  readonly breaches: ReadonlyArray<Breach>;
  readonly nodeCommitted: (nodeId: string, pending: ReadonlyArray<OutboxEvent>) => void;
  readonly streamTook: (nodeId: string, sequenceId: string) => void;
  readonly breach: (breach: Breach) => void;
}

interface NodeTruth {
  readonly events: OutboxEvent[];
  readonly ids: Set<string>;
  readonly appended: Map<string, number>;
  waiting: ReadonlyArray<OutboxEvent>;
}

/** Keeps the truth, and finds at once what must never be: an event in the stream that no node committed, an event that a node forgot and the stream never had. */
export const createTruth = (now: () => number, wasLost: (nodeId: string, sequenceId: string) => boolean): Truth => {
  const nodes = new Map<string, NodeTruth>();
  const breaches: Breach[] = [];
  const of = (nodeId: string): NodeTruth => {
    const known = nodes.get(nodeId) ?? { events: [], ids: new Set(), appended: new Map(), waiting: [] };
    nodes.set(nodeId, known);
    return known;
  };
  return {
    committed: (nodeId) => of(nodeId).events,
    appendedAt: (nodeId, sequenceId) => of(nodeId).appended.get(sequenceId),
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
