import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { type coresdk } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { createSandbox, updateOf } from '../../support/sandbox';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { applyCommandsUpdate, publishNowUpdate, queries, CONTINUES_AS_NEW, signals } from '../../../workflows/messages';
import { unnamed } from './sample-node';
import { bringUpNodes, bundle, measured, windowed } from './nodes';
import { forFile } from '../../support/for-file';

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

test('updates and signals over several runs keep threshold, parts, order and outbox, and none is lost or doubled', async () => {
  const nodeId = randomUUID();
  const { send, handle } = nodes;
  await send(nodeId, [windowed(), { name: 'setExternalAlarm', userId: 'tester', status: 3 }]);
  const [updates, signalled] = [400, 100];
  let next = 0;
  const sendUpdates = async (): Promise<void> => {
    while (next < updates) {
      const command = measured((next += 1) % 80);
      const updateId = randomUUID();
      await patiently(() => send(nodeId, [command], updateId));
    }
  };
  const sendSignals = async (): Promise<void> => {
    for (let index = 0; index < signalled; index += 1)
      await handle(nodeId).signal(signals.recordMeasurement, unnamed(measured(15)));
  };
  await Promise.all([sendSignals(), ...Array.from({ length: 6 }, sendUpdates)]);
  await send(nodeId, [measured(30)]);

  const published = await nodes.entriesOnce(nodeId, updates + signalled + 4);
  const ids = published.map((entry) => entry['sequenceId'] ?? '');
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  expect(await nodes.runs(nodeId)).toBeGreaterThanOrEqual(3);
  expect(await handle(nodeId).query(queries.alarmStatus)).toMatchObject({
    status: 3,
    overallAlarm: { status: 2 },
    externalAlarm: { status: 3 },
  });
  const threshold = { nodeId, overall: { outerHigh: 70 } };
  expect(await handle(nodeId).query(queries.threshold)).toMatchObject({ revision: 1, threshold });
  expect(await handle(nodeId).query(queries.pendingEvents)).toEqual([]);
});

/** The task that a continue-as-new broke is sent again, as the API's adapter does; the update id keeps it single. */
const patiently = async (call: () => Promise<unknown>): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};

const continuesAsNew = ({ successful }: coresdk.workflow_completion.IWorkflowActivationCompletion): boolean =>
  (successful?.commands ?? []).some(({ continueAsNewWorkflowExecution: of }) => of != null);

const sandboxed = async () => {
  const { activate } = await (await createSandbox((await bundle()).code))();
  const begin = Date.now();
  return {
    /** What a node does in a task so many ms after the first, with so large a history; and the jobs that end what it began. */
    at: async (ms: number, jobs: Parameters<typeof activate>[0], historySizeBytes = 10_000) => {
      const completion = await activate(jobs, { timestamp: msToTs(begin + ms), historySizeBytes });
      const commands = completion.successful?.commands ?? [];
      return {
        timer: commands
          .flatMap(({ startTimer: of }) => (of == null ? [] : [{ fireTimer: { seq: of.seq ?? null } }]))
          .at(0),
        publication: commands.flatMap(({ scheduleActivity: of }) => (of == null ? [] : [published(of)])).at(0),
        breaksOff: commands.some(({ requestCancelActivity }) => requestCancelActivity != null),
        continuesAsNew: continuesAsNew(completion),
        refusal: commands
          .flatMap(({ updateResponse }) => updateResponse?.rejected?.applicationFailureInfo?.type ?? [])
          .at(0),
      };
    },
  };
};
/** The end of a publication whose events are all in the stream. */
const published = ({ seq, arguments: given }: coresdk.workflow_commands.IScheduleActivity) => {
  const { events } = defaultPayloadConverter.fromPayload<{ readonly events: ReadonlyArray<OutboxEvent> }>(
    given?.[0] ?? {},
  );
  const result = defaultPayloadConverter.toPayload(events.at(-1)?.sequenceId);
  return { resolveActivity: { seq: seq ?? null, result: { completed: { result } } } };
};
const group = (...commands: ReadonlyArray<object>) => updateOf(applyCommandsUpdate.name, { commands });
const signal = () => ({
  signalWorkflow: {
    signalName: signals.recordMeasurement.name,
    input: [defaultPayloadConverter.toPayload(unnamed(measured(30)))],
  },
});
const only = <A>(found: A | undefined): A => {
  if (found === undefined) throw new Error('it did not do what it was to do');
  return found;
};

test('nodes continue as new after 64 to 128 updates, not all of them after the same number', async () => {
  const create = await createSandbox((await bundle()).code);
  const lengths = new Set<number>();
  for (let nodes = 0; nodes < 12; nodes += 1) {
    const { send } = await create();
    let updates = 0;
    for (let isContinued = false; !isContinued; updates += 1)
      isContinued = continuesAsNew(await send({ ...(updates === 0 ? windowed() : measured(updates % 80)) }));
    expect(updates).toBeGreaterThanOrEqual(64);
    expect(updates).toBeLessThanOrEqual(128);
    lengths.add(updates);
  }
  expect(lengths.size).toBeGreaterThanOrEqual(4);
});

test('a node whose publication hung publishes what came meanwhile, and continues as new after 64 to 128 further updates', async () => {
  const { at } = await sandboxed();
  const hung = await at(0, [group(windowed())]);
  for (let ms = 10; ms <= 1_300; ms += 10)
    expect(await at(ms, [group(measured(30))])).toMatchObject({ continuesAsNew: false });
  const back = await at(2_100, [only(hung.publication)]);
  expect(back).toMatchObject({ continuesAsNew: false });
  expect(await at(2_110, [only(back.publication)])).toMatchObject({ continuesAsNew: false });
  let updates = 0;
  for (let isContinued = false; !isContinued; updates += 1) {
    const taken = await at(3_000 + 2 * updates, [group(measured(30))]);
    isContinued = taken.continuesAsNew;
    if (!isContinued) await at(3_001 + 2 * updates, [only(taken.publication)]);
  }
  expect(updates).toBeGreaterThanOrEqual(64);
  expect(updates).toBeLessThanOrEqual(128);
});

test('updates that only ask a node to publish count like others', async () => {
  const { at } = await sandboxed();
  const { publication } = await at(0, [group(windowed())]);
  for (let ms = 1; ms <= 128; ms += 1) await at(ms, [updateOf(publishNowUpdate.name, {})]);
  expect(await at(129, [only(publication)])).toMatchObject({ continuesAsNew: true });
});

test('a node whose time stands still takes what comes, and continues as new in the first task without a signal', async () => {
  const { at } = await sandboxed();
  let bytes = 10_000;
  const next = (...jobs: Parameters<typeof at>[1]) => at(0, jobs, (bytes += 1_000));
  const first = await next(group(windowed(), ...Array.from({ length: 50 }, () => measured(30))));
  const second = await next(signal(), only(first.publication));
  await next(group(...Array.from({ length: 50 }, () => measured(30))));
  expect(await next(signal())).toMatchObject({ continuesAsNew: false });
  expect(await next(only(second.publication))).toMatchObject({ continuesAsNew: true });
});

test('a node that is overdue looks again for a quiet task when a signal came with its timer', async () => {
  const { at } = await sandboxed();
  await at(0, [group(windowed())]); // and its publication does not end
  const { timer } = await at(100, [signal()], 4_000_000);
  const again = await at(350, [signal(), only(timer)], 4_000_000);
  expect(await at(600, [only(again.timer)], 4_000_000)).toMatchObject({ breaksOff: true });
});

test('a node that is to continue as new and gets signals sends groups back until it has done so, unless its publication hangs', async () => {
  const { at } = await sandboxed();
  const fifty = (): ReadonlyArray<object> => Array.from({ length: 50 }, () => measured(30));
  const first = await at(0, [group(windowed(), ...fifty()), group(...fifty())]);
  await at(100, [only(first.publication)]);
  const second = await at(200, [signal()]);
  expect(await at(300, [group(measured(30))])).toMatchObject({ refusal: CONTINUES_AS_NEW });
  const third = await at(400, [signal(), only(second.publication)]);
  expect(third).toMatchObject({ continuesAsNew: false });
  expect(await at(2_300, [group(measured(30))])).toMatchObject({ refusal: CONTINUES_AS_NEW });
  expect(await at(2_500, [group(measured(30))])).toMatchObject({ refusal: undefined });
  expect(await at(2_600, [only(third.publication)])).toMatchObject({ continuesAsNew: true });
});
