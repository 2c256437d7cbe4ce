import { pause } from '../../../process/backoff';
import type { Publisher } from '../../../stream/append';
import { newNode, type Node } from '../../../workflows/domain/node/state';
import { emptyOutbox, type OutboxEvent } from '../../../workflows/domain/node/outbox';
import { applyCommand } from '../../../workflows/domain/node/apply-group';
import { accepted, dataPoint, overall, setExternalAlarm, setThreshold, recordMeasurement, anId } from '../scenario';

/** Nodes of the domain that get commands and publish their events, each until it is told to stop. */
export interface NodeLoad {
  readonly published: () => number;
  /** All events, by node, once every one is published. */
  readonly stop: () => Promise<ReadonlyMap<string, ReadonlyArray<OutboxEvent>>>;
}

/** Values in each region of the threshold `overall`. */
const VALUES = [0, 10, 15, 25, -15];

/** Starts `count` nodes that get a command every `everyMs`: an overall alarm that moves, and an external one now and then. */
export const startNodeLoad = (count: number, everyMs: number, publisher: Publisher): NodeLoad => {
  let isStopping = false;
  let published = 0;
  const live = async (nodeId: string, seed: number): Promise<ReadonlyArray<OutboxEvent>> => {
    const all: OutboxEvent[] = [];
    let node: Node = newNode(nodeId);
    for (let step = 0; !isStopping; step += 1) {
      const [name, payload] = commandOf(step, seed);
      node = accepted(applyCommand(node, name, payload, Date.now())).node;
      const { waiting } = node.outbox;
      for (;;) {
        const done = await publisher.append({ nodeId, events: waiting }).then(
          () => true,
          () => false,
        );
        if (done) break;
        await pause(50);
      }
      all.push(...waiting);
      published += waiting.length;
      node = { ...node, outbox: emptyOutbox };
      await pause(everyMs);
    }
    return all;
  };
  const running = Array.from({ length: count }, async (_, at) => {
    const nodeId = anId(at);
    return [nodeId, await live(nodeId, at)] as const;
  });
  return {
    published: () => published,
    stop: async () => {
      isStopping = true;
      return new Map(await Promise.all(running));
    },
  };
};

const commandOf = (step: number, seed: number) => {
  if (step === 0) return setThreshold(overall);
  if (step % 7 === 3) return setExternalAlarm({ status: (step + seed) % 5 });
  return recordMeasurement(dataPoint(VALUES[(step * (seed + 1)) % VALUES.length] ?? 0, { measurementId: anId(step) }));
};
