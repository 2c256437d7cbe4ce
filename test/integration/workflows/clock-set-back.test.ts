import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { queries, signals, workflowIdOf } from '../../../workflows/messages';
import { shiftedTemporal } from '../../support/shifted-temporal';
import { bringUpNodes, bundle, eventually, measured, statusAttribute, windowed } from './nodes';
import { unnamed } from './sample-node';

const HOUR_MS = 3_600_000;
const WITHIN_MS = 5_000;
const [GOOD, DANGER] = [measured.bind(undefined, 30), measured.bind(undefined, 60)];

test("nodes go on while Temporal's clock is set back by an hour, and replay what they did", async () => {
  const temporal = await shiftedTemporal(inject('temporalAddress'));
  onTestFinished(temporal.stop);
  const before = await bringUpNodes({ temporalAddress: temporal.address });
  const { taskQueue, stream } = before;
  const nodeIds = Array.from({ length: 2 }, () => randomUUID());
  for (const nodeId of nodeIds) await before.send(nodeId, [windowed(), GOOD()]);

  temporal.setClock(-HOUR_MS);
  const lateness: number[] = [];
  const inTime = async (work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await work();
    lateness.push(performance.now() - began);
  };
  /** A status that changes has a timer fire, a signal and a node that is not relayed publish by an activity. */
  const live = async (nodeId: string): Promise<void> => {
    for (let round = 0; round < 70; round += 1) {
      await inTime(() => before.send(nodeId, [GOOD()], randomUUID()));
      await inTime(() => before.send(nodeId, [DANGER()], randomUUID()));
      if (round % 10 === 0) await before.handle(nodeId).signal(signals.recordMeasurement, unnamed(DANGER()));
      await inTime(() => before.handle(nodeId).query(queries.alarmStatus));
    }
  };
  await Promise.all(nodeIds.map(live));
  expect(Math.max(...lateness)).toBeLessThan(WITHIN_MS);
  for (const nodeId of nodeIds) {
    await before.entriesOnce(nodeId, 3 + 140 + 7);
    expect(await before.runs(nodeId)).toBeGreaterThanOrEqual(2);
  }

  // The search attribute of a node that flaps keeps the worst status, within one run: a new run knows nothing of the last one.
  for (const nodeId of nodeIds) {
    const described = () => before.handle(nodeId).describe();
    const shows = async (): Promise<unknown> => (await described()).typedSearchAttributes.get(statusAttribute);
    let runId: string;
    let kept: unknown;
    do {
      ({ runId } = await described());
      for (const rated of [GOOD, DANGER]) await before.send(nodeId, [rated()]);
      await eventually(shows, (status) => status === 4);
      await before.send(nodeId, [GOOD()]);
      kept = await shows();
    } while ((await described()).runId !== runId);
    expect(kept).toBe(4);
  }

  for (const nodeId of nodeIds) {
    const history = await before.handle(nodeId).fetchHistory();
    await Worker.runReplayHistory({ workflowBundle: await bundle() }, history, workflowIdOf(nodeId));
  }
  await before.stop();
  const after = await bringUpNodes({ temporalAddress: temporal.address, taskQueue, stream });
  onTestFinished(() => after.stop());
  for (const nodeId of nodeIds) {
    expect(await after.handle(nodeId).query(queries.alarmStatus)).toMatchObject({ status: 2 });
    await after.send(nodeId, [DANGER()]);
  }
});
