import { pause } from '../../../process/backoff';
import type { Publisher } from '../../../stream/append';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../commands';
import { dataPoint, overall } from '../measurements';
import { anId, type Sent } from '../scenario';
import { publishingNode } from './publishing-node';

/** Nodes of the domain that get commands and publish their events, each until it is told to stop. */
export interface NodeLoad {
  readonly published: () => number;
  /** All events, by node, once every one is published. */
  readonly stop: () => Promise<ReadonlyMap<string, ReadonlyArray<OutboxEvent>>>;
}

/** Starts `count` nodes that get a command every `everyMs`: an overall alarm that moves, and an external one now and then. */
export const startNodeLoad = (count: number, everyMs: number, publisher: Publisher): NodeLoad => {
  let isStopping = false;
  const nodes = Array.from({ length: count }, (_, at) => [anId(at), publishingNode(publisher, anId(at))] as const);
  const running = nodes.map(async ([, node], seed) => {
    for (let step = 0; !isStopping; step += 1) {
      await node.take(commandOf(step, seed));
      await pause(everyMs);
    }
  });
  return {
    published: () => nodes.reduce((sum, [, { events }]) => sum + events.length, 0),
    stop: async () => {
      isStopping = true;
      await Promise.all(running);
      return new Map(nodes.map(([id, { events }]) => [id, events]));
    },
  };
};

/** Values in each region of the threshold `overall`. */
const VALUES = [0, 10, 15, 25, -15];

const commandOf = (step: number, seed: number): Sent => {
  if (step === 0) return setThreshold(overall);
  if (step % 7 === 3) return setExternalAlarm({ status: (step + seed) % 5 });
  return recordMeasurement(dataPoint(VALUES[(step * (seed + 1)) % VALUES.length] ?? 0, { measurementId: anId(step) }));
};
