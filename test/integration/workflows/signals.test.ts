import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { foldRun, stepsOf } from '../../../cli/run-steps';
import { COMMAND_WORK } from '../../../workflows/domain/node/work-estimate';
import { MOST_RUN_WORK } from '../../../workflows/domain/node/run-policy';
import { decodeArgument, snapshotView } from '../../../workflows/domain/node/state';
import { queries, signals, workflowIdOf } from '../../../workflows/messages';
import { heavyLines, heavyThreshold, spectrumOf } from '../../cost/reference';
import { rightOf } from '../../support/either';
import { forFile } from '../../support/for-file';
import { createSandbox } from '../../support/sandbox';
import { bringUpNodes, bundle, eventually, measured, windowed } from './nodes';

const nodes = forFile(bringUpNodes, ({ stop }) => stop());
const [TIMEOUT_MS, BEFORE_TIMEOUT_MS] = [240_000, 120_000];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Run = Readonly<{ runId: string; history: temporal.api.history.v1.IHistory }>;
const runsOf = async (nodeId: string): Promise<ReadonlyArray<Run>> => {
  const runs: (Run & { readonly began: Date })[] = [];
  for await (const { runId, startTime: began } of nodes.client.workflow.list({
    query: `WorkflowId = "${workflowIdOf(nodeId)}"`,
  })) {
    const history = await nodes.client.workflow.getHandle(workflowIdOf(nodeId), runId).fetchHistory();
    runs.push({ runId, history, began });
  }
  return runs.sort((one, other) => one.began.getTime() - other.began.getTime());
};

/** The state that `pas explain` finds in the history of a run. */
const stateIn = (nodeId: string, { history }: Run) =>
  rightOf(
    foldRun(
      nodeId,
      stepsOf(history.events ?? []).map(({ argument: [payload], ...step }) => ({
        ...step,
        argument: payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload),
      })),
    ),
  );

/** Each run replays, and what explain finds in it is what the next one began with; the last one's is what the node answers. */
const expectTrueHistories = async (nodeId: string): Promise<ReadonlyArray<Run>> => {
  const snapshot = await nodes.handle(nodeId).query(queries.snapshot);
  const runs = await runsOf(nodeId);
  for (const [index, run] of runs.entries()) {
    await Worker.runReplayHistory({ workflowBundle: await bundle() }, run.history, workflowIdOf(nodeId));
    const [payload] =
      runs[index + 1]?.history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    if (payload == null) continue;
    const carried = rightOf(decodeArgument(nodeId, defaultPayloadConverter.fromPayload(payload)));
    expect(snapshotView(stateIn(nodeId, run))).toEqual(snapshotView(carried.state));
  }
  const last = runs.at(-1);
  expect(last === undefined ? undefined : snapshotView(stateIn(nodeId, last))).toEqual(snapshot);
  return runs;
};

const failures = ({ history }: Run): number =>
  (history.events ?? []).filter(
    ({ workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: late }) =>
      late != null || (failed?.failure != null && !String(failed.failure.message).includes('UnhandledCommand')),
  ).length;

test(
  '150 signals that are dear to a node at the limits are all applied, and its neighbours go on',
  async () => {
    const [nodeId, neighbour] = [randomUUID(), randomUUID()];
    const spectrum = {
      ...spectrumOf({ coordinates: heavyLines() }),
      measurementId: randomUUID(),
      createdAt: new Date().toISOString(),
    };
    await nodes.send(nodeId, [{ name: 'setThreshold', userId: 'tester', ...heavyThreshold }]);
    await nodes.send(nodeId, [{ name: 'recordMeasurement', userId: 'tester', measurement: spectrum }]);
    await nodes.send(neighbour, [windowed()]);
    const revision = async (): Promise<number> => (await nodes.handle(nodeId).query(queries.threshold)).revision;
    const before = await revision();
    let isOver = false;
    const lateness: number[] = [];
    const beside = async (): Promise<void> => {
      while (!isOver) {
        const began = performance.now();
        await nodes.send(neighbour, [measured(30)], randomUUID());
        lateness.push(performance.now() - began);
        await pause(20);
      }
    };
    const calls = async (): Promise<void> => {
      for (let status = 0; !isOver; status = (status + 1) % 5) {
        await nodes
          .send(nodeId, [{ name: 'setExternalAlarm', userId: 'tester', status }], randomUUID())
          .catch(() => undefined);
        await pause(300);
      }
    };
    const others = [beside(), calls()];
    const patch = (value: number) => ({ userId: 'tester', operations: [{ op: 'add', path: '/fullScale', value }] });
    await Promise.all(
      Array.from({ length: 150 }, (_, index) => nodes.handle(nodeId).signal(signals.patchThreshold, patch(index + 1))),
    );
    try {
      await eventually(revision, (now) => now === before + 150, BEFORE_TIMEOUT_MS);
    } finally {
      isOver = true;
      await Promise.all(others);
    }
    expect(Math.max(...lateness)).toBeLessThan(3_000);
    await nodes.allPublished(nodeId);
    const runs = await expectTrueHistories(nodeId);
    expect(runs.map(failures)).toEqual(runs.map(() => 0));
  },
  TIMEOUT_MS,
);

test(
  'signals whose events do not fit into the outbox together wait for publications',
  async () => {
    const nodeId = randomUUID();
    const bandAlarms = Array.from({ length: 100 }, () => ({ label: 'x'.repeat(1_000) }));
    await nodes.send(nodeId, [{ name: 'setThreshold', userId: 'tester', threshold: { bandAlarms } }]);
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        nodes.handle(nodeId).signal(signals.setExternalAlarm, { userId: `tester-${index}`, status: index % 5 }),
      ),
    );
    const users = async () => [...new Set((await nodes.entries(nodeId)).map(({ userId }) => userId))];
    await eventually(users, ({ length }) => length === 31, 60_000);
    await nodes.allPublished(nodeId);
    await expectTrueHistories(nodeId);
  },
  TIMEOUT_MS,
);

test('a run continues as new after the work of signals that change nothing, too', async () => {
  const { activate } = await (await createSandbox((await bundle()).code))();
  const refused = {
    signalWorkflow: { signalName: signals.setExternalAlarm.name, input: [defaultPayloadConverter.toPayload({})] },
  };
  let [signalled, continues] = [0, false];
  let fired: ReadonlyArray<object> = [];
  for (let tasks = 0; tasks < 200 && !continues; tasks += 1) {
    const comes = signalled < 1.1 * (MOST_RUN_WORK / COMMAND_WORK) ? Array.from({ length: 100 }, () => refused) : [];
    signalled += comes.length;
    const { successful } = await activate([...comes, ...fired]);
    const commands = successful?.commands ?? [];
    fired = commands.flatMap(({ startTimer: timer }) =>
      timer == null ? [] : [{ fireTimer: { seq: timer.seq ?? null } }],
    );
    continues = commands.some(({ continueAsNewWorkflowExecution: next }) => next != null);
    if (comes.length === 0 && fired.length === 0) break;
  }
  expect(continues).toBe(true);
});
