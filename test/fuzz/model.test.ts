import { fc } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { createCaller } from '../chaos/load/call';
import { withStack } from '../chaos/with-stack';
import { budget, progress, several, testTimeoutMs, within } from './budget';
import { newModel, type ModelEvent } from './model';
import { modelCommands, realOf, type Commands } from './model-commands';

const NODES = 2;
const { stack, tail } = withStack();

/** An event as the stream has it, without what only time can tell. */
const told = (data: string): ModelEvent => {
  const { aggregateId: _, sequenceId: __, updatedAt: ___, requestId: ____, threshold, ...event } = JSON.parse(data);
  if (threshold === undefined) return event;
  const { nodeId: _____, ...document } = threshold;
  return { ...event, threshold: document };
};

const eventsOf = (nodeId: string): ReadonlyArray<ModelEvent> =>
  tail()
    .entries.filter(({ aggregateId }) => aggregateId === nodeId)
    .map(({ data = '' }) => told(data));

test(
  'whatever several users do to several nodes, answers and events are those of a small model',
  async () => {
    const caller = createCaller();
    const tell = progress('sequences');
    let calls = 0;
    const { apis, signToken } = stack();
    const carryOut = async (commands: Commands): Promise<void> => {
      const models = Array.from({ length: NODES }, newModel);
      const real = realOf(
        caller,
        apis.map(({ url }) => url),
        signToken,
        NODES,
      );
      await fc.asyncModelRun(() => ({ model: models, real }), commands);
      for (const [index, { events }] of models.entries()) {
        const nodeId = real.nodeIds[index] ?? '';
        await expect.poll(() => eventsOf(nodeId).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(events.length);
        expect(eventsOf(nodeId)).toEqual(events);
      }
      calls += real.calls();
      tell();
    };
    const property = fc.asyncProperty(several(modelCommands(NODES, 80)), async (sequences) => {
      await Promise.all(sequences.map(carryOut));
    });
    await fc.assert(property, within(0.5));
    console.info(`${calls} calls, seed ${budget.seed}`);
    caller.close();
  },
  testTimeoutMs,
);
