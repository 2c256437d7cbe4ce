import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectTemporal } from '../../../cli/temporal';
import { publishNowUpdate, queries, workflowIdOf } from '../../../workflows/messages';
import { rightOf } from '../../support/either';
import { foundCommands } from '../../support/ground';
import { bringUpClient, bringUpNodes, eventually, measured, windowed } from './nodes';

const run = promisify(execFile);

/** docs/operations.md, "Reset a node". */
test('a node whose history does not replay comes back by a reset to its first task, with all that it acknowledged', async () => {
  const client = await bringUpClient();
  onTestFinished(() => client.stop());
  const { taskQueue, stream } = client;
  const nodeId = randomUUID();
  const before = await bringUpNodes({ taskQueue, stream, workflowsPath: join(__dirname, 'wedging.workflow.ts') });
  await before.send(nodeId, [windowed(), measured(60)]);
  await before.send(nodeId, [{ name: 'setExternalAlarm', userId: 'tester', status: 3 }]);
  await before.entriesOnce(nodeId, 4);
  await before.stop();

  const after = await bringUpNodes({ taskQueue, stream });
  onTestFinished(() => after.stop());
  const handle = after.handle(nodeId);
  await expect(handle.query(queries.alarmStatus)).rejects.toThrow();

  const reset = ['workflow', 'reset', '-w', workflowIdOf(nodeId), '--type', 'FirstWorkflowTask', '--reason', 'replay'];
  await run(foundCommands(process.env).temporal ?? 'temporal', [...reset, '--address', inject('temporalAddress')]);
  await eventually(
    () => handle.query(queries.alarmStatus).catch(() => undefined),
    (status) => status?.status === 4 && status.externalAlarm?.status === 3,
  );
  await handle.executeUpdate(publishNowUpdate).catch(() => undefined);
  const again = await after.entriesOnce(nodeId, 8);
  expect(again.slice(4).map(({ type }) => type)).toEqual(again.slice(0, 4).map(({ type }) => type));
  const cli = await connectTemporal({
    ...{ connection: { address: inject('temporalAddress') }, namespace: 'default' },
    ...{ taskQueue, searchAttributes: true },
  });
  const state = await cli.stateOf(nodeId).finally(cli.close);
  expect(rightOf(state).parts).toMatchObject({ overall: { status: 4 }, external: { status: 3 } });
  await after.send(nodeId, [measured(30)]);
  expect(await handle.query(queries.alarmStatus)).toMatchObject({ status: 3, overallAlarm: { status: 2 } });
}, 60_000);
