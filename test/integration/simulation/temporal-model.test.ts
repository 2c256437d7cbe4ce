import { randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { workflowIdOf, WORKFLOW_TYPE } from '../../../workflows/messages';
import { randomOf } from '../../chaos/load/random';
import { loadGraphs } from '../../simulation/code/graphs';
import { createHost, clockOf } from '../../simulation/engine/host';
import { createClient } from '../../simulation/models/temporal/client';
import { inCallback } from '../../simulation/run-many';
import { planOf } from '../../simulation/world/plan';
import { createWorld } from '../../simulation/world/world';
import { bringUpNodes } from '../workflows/nodes';
import { forFile } from '../../support/for-file';

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

type Sent =
  | { readonly type: 'group'; readonly updateId: string; readonly payload: object }
  | { readonly type: 'publishNow' }
  | { readonly type: 'signal'; readonly name: string; readonly payload: object }
  | { readonly type: 'query' };

/** Groups of few processes, some sent again under the same or another update id, some under an earlier number, keyed or not; signals and queries between. */
const historyOf = (seed: number): ReadonlyArray<Sent> => {
  const random = randomOf(seed);
  const sent: Sent[] = [];
  const groups: Array<Extract<Sent, { readonly type: 'group' }>> = [];
  const command = (index: number): object => {
    const about = { userId: `user${index}`, ...(random.draw() < 0.5 && { idempotencyKey: `key${random.below(4)}` }) };
    const drawn = random.below(4);
    if (drawn === 0)
      return {
        ...{ name: 'setThreshold', ...about },
        threshold: { thresholdType: 2, overall: { unit: 'C', outerHigh: 70 + random.below(3), innerHigh: 50 } },
      };
    if (drawn === 1) return { name: 'setExternalAlarm', ...about, status: random.below(7), setBy: 'me' };
    if (drawn === 2) return { name: 'recalculate', ...about };
    return { name: 'patchThreshold', ...about, operations: [{ op: 'replace', path: '/overall/unit', value: 'K' }] };
  };
  for (let index = 1; index <= 14; index += 1) {
    const drawn = random.draw();
    const again = groups[random.below(groups.length)];
    if (index > 1 && drawn < 0.1) sent.push({ type: 'publishNow' });
    else if (index > 1 && drawn < 0.2) {
      const { name, ...payload } = command(index) as { readonly name: string };
      sent.push({ type: 'signal', name, payload });
    } else if (index > 1 && drawn < 0.3) sent.push({ type: 'query' });
    else if (again !== undefined && drawn < 0.5)
      sent.push(random.draw() < 0.5 ? again : { ...again, updateId: `again${index}` });
    else {
      const commands = Array.from({ length: 1 + random.below(3) }, () => command(index));
      const sentBy = { sender: `api${random.below(2)}`, sequence: index };
      const group = { type: 'group', updateId: `group${index}`, payload: { commands, sentBy, relay: 'api' } } as const;
      groups.push(group);
      sent.push(group);
    }
  }
  return sent;
};

type Handle = Pick<WorkflowHandle, 'executeUpdate' | 'signal' | 'query'>;

/** What came of each message, without ids and times. */
const outcomesOf = async (handle: Handle, history: ReadonlyArray<Sent>): Promise<ReadonlyArray<unknown>> => {
  const outcomes: unknown[] = [];
  for (const one of history) {
    switch (one.type) {
      case 'group':
        outcomes.push(
          await handle
            .executeUpdate<unknown, [object]>('applyCommands', { args: [one.payload], updateId: one.updateId })
            .then(comparable, comparableFailure),
        );
        break;
      case 'publishNow':
        // Whether an event still waits depends on the moment, too: either answer is right.
        await handle.executeUpdate('publishNow').catch(comparableFailure);
        outcomes.push('asked to publish');
        break;
      case 'signal':
        await handle.signal(one.name, one.payload);
        break;
      case 'query':
        outcomes.push(comparable(await handle.query('threshold')));
    }
  }
  outcomes.push(comparable(await handle.query('snapshot')));
  return outcomes;
};

/** Events are told by their number of the node, since it depends on the moment which are confirmed. */
const comparable = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      ['unconfirmed', 'updatedAt', 'sequenceId', 'nodeId'].includes(name) ? undefined : value,
    ),
  );

const comparableFailure = (error: unknown): unknown => {
  if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
  return [error.cause.type, comparable(error.cause.details ?? [])];
};

/** The same against the model, in virtual time. */
const modelled = (seed: number, nodeId: string): Promise<ReadonlyArray<unknown>> =>
  inCallback(() => {
    const plain = { caches: [false], relays: [false], faults: [], apis: 1, workers: 1, suggestsAfter: 1_000 };
    const world = createWorld({ ...planOf(seed), ...plain, bounds: 'shipped' }, loadGraphs([], 'shipped'));
    world.weather.clear();
    const { scheduler, servers, temporal, weather } = world;
    const host = createHost('client', scheduler, randomOf(seed));
    const always = (): boolean => true;
    const clients = createClient({
      ...{ host, server: servers.temporal, temporal, weather, isLinked: always, isUp: always, note: () => undefined },
    });
    let over: { readonly value?: ReadonlyArray<unknown>; readonly error?: unknown } | undefined;
    scheduler.at(0, () => {
      temporal.begin(workflowIdOf(nodeId));
      outcomesOf(clients(clockOf(host) + 600_000).getHandle(workflowIdOf(nodeId)), historyOf(seed)).then(
        (value) => (over = { value }),
        (error: unknown) => (over = { error }),
      );
    });
    scheduler.run(() => over !== undefined, 600_000);
    if (over?.value === undefined) throw new Error('the model did not answer', { cause: over?.error });
    return over.value;
  });

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'the modelled Temporal gives the outcomes of a real one: history %i',
  async (seed) => {
    const nodeId = randomUUID();
    const handle = await nodes.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: workflowIdOf(nodeId),
      taskQueue: nodes.taskQueue,
    });
    const real = await outcomesOf(handle, historyOf(seed));
    expect(await modelled(seed, nodeId)).toEqual(real);
    expect(real.length).toBeGreaterThan(8);
  },
);
