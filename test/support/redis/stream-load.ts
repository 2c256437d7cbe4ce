import { randomUUID } from 'node:crypto';
import { pause } from '../../../process/backoff';
import type { Publisher } from '../../../stream/append';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

/** Nodes that publish events as a service's nodes do: they keep each until it is published, and try again until then. */
export interface StreamLoad {
  readonly published: () => number;
  /** The ids of each node's published events, in order, once all are. */
  readonly stop: () => Promise<ReadonlyMap<string, ReadonlyArray<string>>>;
}

/** Most events that a node keeps while it cannot publish. */
const MOST_WAITING = 20;

/** Each node publishes by the first of `publishers`, and after a failure by the next one: the API, then a worker. */
export const startLoad = (nodes: number, ...publishers: ReadonlyArray<Publisher>): StreamLoad => {
  let isStopping = false;
  let count = 0;
  const publish = async (nodeId: string): Promise<ReadonlyArray<string>> => {
    const published: string[] = [];
    let waiting: ReadonlyArray<OutboxEvent> = [];
    let made = 0;
    for (let tries = 0; !isStopping || waiting.length > 0;) {
      if (!isStopping && waiting.length < MOST_WAITING) waiting = [...waiting, eventOf(nodeId, (made += 1))];
      const publisher = publishers[tries % publishers.length];
      const appended = await publisher?.append({ nodeId, events: waiting }).catch(() => undefined);
      if (appended === undefined) tries += 1;
      else {
        const isOut = ({ sequenceId }: OutboxEvent): boolean => sequenceId <= appended.newest;
        published.push(...waiting.filter(isOut).map(({ sequenceId }) => sequenceId));
        count += waiting.filter(isOut).length;
        waiting = waiting.filter((event) => !isOut(event));
      }
      await pause(appended === undefined ? 50 : 20);
    }
    return published;
  };
  const running = Array.from({ length: nodes }, async () => {
    const nodeId = randomUUID();
    return [nodeId, await publish(nodeId)] as const;
  });
  return {
    published: () => count,
    stop: async () => {
      isStopping = true;
      return new Map(await Promise.all(running));
    },
  };
};

/** The event of a node with its `number`. */
export const eventOf = (nodeId: string, number: number): OutboxEvent => {
  const sequenceId = `01K${String(number).padStart(23, '0')}`;
  return {
    type: 'PointAlarmStatusEvent',
    sequenceId,
    timestamp: Date.now(),
    userId: 'tester',
    data: { aggregateId: nodeId, userId: 'tester', sequenceId, updatedAt: 0, alarmStatus: 4, alarmsChanged: true },
  };
};

/** What became of the published events: none lost, none repeated, none out of order is 0, 0, 0. */
export const compare = (
  published: ReadonlyMap<string, ReadonlyArray<string>>,
  found: ReadonlyMap<string, ReadonlyArray<string>>,
): { readonly lost: number; readonly repeated: number; readonly disordered: number } => {
  let [lost, repeated, disordered] = [0, 0, 0];
  for (const [nodeId, ids] of published) {
    const inStream = found.get(nodeId) ?? [];
    const distinct = new Set(inStream);
    lost += ids.filter((id) => !distinct.has(id)).length;
    repeated += inStream.length - distinct.size;
    disordered += inStream.filter((id, at) => at > 0 && id < (inStream[at - 1] ?? '')).length;
  }
  return { lost, repeated, disordered };
};

/** The ids in a stream by node, in its order. */
export const idsByNode = (
  entries: ReadonlyArray<{ readonly message: Readonly<Record<string, string>> }> | null,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, string[]>();
  for (const { message } of entries ?? []) {
    const { aggregateId = '', sequenceId = '' } = message;
    found.set(aggregateId, [...(found.get(aggregateId) ?? []), sequenceId]);
  }
  return found;
};
