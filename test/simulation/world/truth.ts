import { isDeepStrictEqual } from 'node:util';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

/** A promise that was seen broken, and where. */
export type Breach = { readonly promise: string; readonly nodeId: string; readonly found: string };

/** What really happened, as no process of the service can see it. */
export type Truth = ReturnType<typeof createTruth>;

interface NodeTruth {
  readonly events: OutboxEvent[];
  readonly ids: Set<string>;
  readonly appended: Map<string, number>;
  waiting: ReadonlyArray<OutboxEvent>;
}

/** A node set up anew may give the events that wait other ids, once: that event is the one which was committed. */
const renamed = ({ ids, events }: NodeTruth, before: OutboxEvent, after: OutboxEvent | undefined): void => {
  const isSame = isDeepStrictEqual(contentOf(before), after === undefined ? undefined : contentOf(after));
  if (after === undefined || !isSame || before.sequenceId === after.sequenceId) return;
  ids.delete(before.sequenceId);
  ids.add(after.sequenceId);
  events[events.findIndex(({ sequenceId }) => sequenceId === before.sequenceId)] = after;
};

const contentOf = ({ sequenceId: _, data: { sequenceId: __, ...data }, ...event }: OutboxEvent) => ({ ...event, data });

/** Keeps the truth, and finds at once what must never be: an event in the stream that no node committed, an event that a node forgot and the stream never had. */
export const createTruth = (now: () => number, wasLost: (nodeId: string, sequenceId: string) => boolean) => {
  const nodes = new Map<string, NodeTruth>();
  const breaches: Breach[] = [];
  const of = (nodeId: string): NodeTruth => {
    const known = nodes.get(nodeId);
    if (known !== undefined) return known;
    const made = { events: [], ids: new Set<string>(), appended: new Map(), waiting: [] };
    nodes.set(nodeId, made);
    return made;
  };
  const breach = (promise: string, nodeId: string, found: string): void =>
    void breaches.push({ promise, nodeId, found });
  return {
    breaches,
    breach,
    /** Every event that a node committed, in order. */
    committed: (nodeId: string): ReadonlyArray<OutboxEvent> => of(nodeId).events,
    /** When (virtual ms) an event was last appended; absent where it never was. */
    appendedAt: (nodeId: string, sequenceId: string): number | undefined => of(nodeId).appended.get(sequenceId),
    /** What waits in the node now. */
    waiting: (nodeId: string): ReadonlyArray<OutboxEvent> => of(nodeId).waiting,
    nodeCommitted: (nodeId: string, pending: ReadonlyArray<OutboxEvent>): void => {
      const node = of(nodeId);
      if (node.waiting === pending) return;
      for (const [at, event] of node.waiting.entries()) renamed(node, event, pending[at]);
      const oldest = pending[0]?.sequenceId;
      for (const { sequenceId } of node.waiting) {
        if (!node.ids.has(sequenceId)) continue; // it has another id now
        if (oldest !== undefined && sequenceId >= oldest) break;
        if (!node.appended.has(sequenceId) && !wasLost(nodeId, sequenceId))
          breach('forgotten', nodeId, `${sequenceId} is in no stream`);
      }
      const last = node.events.at(-1)?.sequenceId ?? '';
      for (const event of pending) {
        if (node.ids.has(event.sequenceId)) continue;
        if (event.sequenceId <= last) breach('disordered', nodeId, `${event.sequenceId} is committed after ${last}`);
        node.ids.add(event.sequenceId);
        node.events.push(event);
      }
      node.waiting = pending;
    },
    streamTook: (nodeId: string, sequenceId: string): void => {
      const node = of(nodeId);
      if (!node.ids.has(sequenceId)) breach('uncommitted', nodeId, `${sequenceId} is in the stream`);
      node.appended.set(sequenceId, now());
    },
  };
};
