import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../../worker/workflow-code';
import { releasedWorkflows } from '../support/released-workflows';

// What the careless workflow breaks is expected here, line by line.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const folder = join(__dirname, 'histories');
const histories = readdirSync(folder).map((name) => {
  const { workflowId, history } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
    readonly workflowId: string;
    readonly history: unknown;
  };
  return { name, workflowId, history };
});

let workflowBundle: { readonly code: string };
beforeAll(async () => {
  workflowBundle = await releasedWorkflows();
});

test.each(histories)('the histories of released nodes $name replays', async ({ workflowId, history }) => {
  await expect(Worker.runReplayHistory({ workflowBundle }, history, workflowId)).resolves.toBeUndefined();
});

/**
 * What a host says of search attributes may differ from execution to execution: it translates their names by a cache, which
 * lags up to a minute behind a registration.
 */
describe('a history replays whatever the host of the replay knows of search attributes:', () => {
  test.each(histories)('$name where none is known', async ({ workflowId, history }) => {
    const unknown = startedWith(history, { indexedFields: {} });
    await expect(Worker.runReplayHistory({ workflowBundle }, unknown, workflowId)).resolves.toBeUndefined();
  });
  test.each(histories)('$name where the status is', async ({ workflowId, history }) => {
    const known = startedWith(history, { indexedFields: { PointAlarmStatus: intPayload(0) } });
    await expect(Worker.runReplayHistory({ workflowBundle }, known, workflowId)).resolves.toBeUndefined();
  });
});

/** `history` as if its workflow had been started with `searchAttributes`. */
const startedWith = (history: unknown, searchAttributes: unknown): unknown => {
  const copy = JSON.parse(JSON.stringify(history)) as {
    readonly events: ReadonlyArray<{ workflowExecutionStartedEventAttributes?: Record<string, unknown> }>;
  };
  const started = copy.events[0]?.workflowExecutionStartedEventAttributes;
  if (started === undefined) throw new Error('the history does not begin with a start');
  started['searchAttributes'] = searchAttributes;
  return copy;
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const intPayload = (value: number): unknown => ({
  metadata: { encoding: base64('json/plain'), type: base64('Int') },
  data: base64(String(value)),
});

let careless: { readonly code: string };
beforeAll(async () => {
  careless = await bundleWorkflows(join(__dirname, 'careless.workflow.ts'));
});
test.each(histories)(
  'a workflow that was changed without care $name does not replay',
  async ({ workflowId, history }) => {
    await expect(Worker.runReplayHistory({ workflowBundle: careless }, history, workflowId)).rejects.toThrow(
      'TMPRL1100',
    );
  },
);
