import { setTimeout as sleep } from 'node:timers/promises';
import type { Setting } from './scenario';
import type { ServiceStack } from './stack/service-stack';

/** So long a recovery is waited for before the scenario fails. */
export const GIVEN_UP_AFTER_MS = 60_000;

/**
 * The ms from `endedAt` until every node has taken a write that was sent after it, and that write's event is in the stream;
 * those before it are then out as well, since a node's events come in order.
 */
export const recovered = async (
  { recorder, asks, nodes, tail }: Setting<ServiceStack>,
  endedAt: number,
): Promise<number> => {
  const lastAnswerTo = (writeId: string): string =>
    JSON.stringify(recorder.tries.findLast((tried) => tried.writeId === writeId)?.called);
  const until = performance.now() + GIVEN_UP_AFTER_MS;
  const givenUp = (): boolean => performance.now() > until;
  const times = await Promise.all(
    nodes.map(async (nodeId) => {
      const { id, answer } = await recorder.send(nodeId, asks.external(), { keyed: true, until: givenUp });
      while (!tail.arrivals.has(id)) {
        if (answer !== 'acknowledged' || givenUp())
          throw new Error(
            `${nodeId}: after ${GIVEN_UP_AFTER_MS} ms a write was ${answer} and is not in the stream: ${lastAnswerTo(id)}`,
          );
        await sleep(20);
      }
      return tail.arrivals.get(id) ?? Infinity;
    }),
  );
  return Math.max(...times) - endedAt;
};
