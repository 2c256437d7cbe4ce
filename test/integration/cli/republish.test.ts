import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { publishedKey } from '../../../stream/append';
import { runNode } from '../../support/run-node';
import { startService } from '../../support/service';
import { sharedRedis } from '../../support/redis/shared-redis';
import { folderOfFile } from '../../support/temporary-folder';
import { eventually } from '../workflows/nodes';
import { forFile } from '../../support/for-file';

const NODES = 12;
const ids = Array.from({ length: NODES }, () => randomUUID());
const folder = folderOfFile();
const journal = join(folder, 'journal');

const service = forFile(startService, ({ stop }) => stop());
const redis = sharedRedis();
beforeAll(async () => {
  for (const [index, nodeId] of ids.entries()) {
    const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 + index } };
    expect(await put(`/v1/point-alarm-threshold/${nodeId}`, threshold)).toBe(204);
    expect(await put(`/v1/alarm-status/${nodeId}/status/external`, { status: index % 2 === 0 ? 2 : 3 })).toBe(204);
  }
});

const put = async (path: string, body: unknown): Promise<number> =>
  (await service.call({ method: 'PUT', path, body })).status;

/** Runs the command; its exit code, and all that it wrote. */
const republish = async (
  ...args: ReadonlyArray<string>
): Promise<readonly [number | NodeJS.Signals | null, string]> => {
  const command = runNode(['dist/cli/main.js', 'republish', '--journal', journal, ...args], {
    PATH: process.env['PATH'],
    HOME: '/nowhere',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: service.taskQueue,
  });
  onTestFinished(command.stop);
  return [await command.exited, command.said()];
};

/** What the stream tells of each node since it was emptied: the types of its events, and the last of each. */
const inStream = async (): Promise<ReadonlyMap<string, ReadonlyArray<Readonly<Record<string, unknown>>>>> => {
  const found = new Map<string, ReadonlyArray<Readonly<Record<string, unknown>>>>();
  for (const { message } of (await redis.xRange(service.stream, '-', '+')) ?? []) {
    const { aggregateId = '', type, data = '' } = message as Record<string, string>;
    found.set(aggregateId, [...(found.get(aggregateId) ?? []), { type, ...(JSON.parse(data) as object) }]);
  }
  return found;
};

/** Redis loses the stream, and what it knew of the nodes. */
const loseStream = () => redis.del([service.stream, publishedKey(service.stream)]);

const isWhole = (found: Awaited<ReturnType<typeof inStream>>, count: number): boolean =>
  found.size === count && [...found.values()].every((events) => events.length >= 2);

test('after Redis lost everything, the stream holds the threshold and status of every node again', async () => {
  const [code, said] = await eventually(
    async () => {
      await loseStream();
      return republish('--all', '--again', '--user', 'operator');
    },
    ([, output]) => output.includes(`${NODES} publish`), // visibility lags behind
    30_000,
  );
  expect(code, said).toBe(0);
  expect(existsSync(journal)).toBe(false);
  const found = await eventually(inStream, (streamed) => isWhole(streamed, NODES));
  for (const [index, nodeId] of ids.entries()) {
    const shown = await service.call({ method: 'GET', path: `/v1/alarm-status/${nodeId}` });
    const { nodeId: _, status, ...parts } = JSON.parse(shown.text) as Record<string, unknown>;
    expect(found.get(nodeId)?.slice(-2)).toMatchObject([
      {
        type: 'SetPointAlarmThresholdEvent',
        userId: 'operator',
        revision: 1,
        threshold: { overall: { innerHigh: 50 + index } },
      },
      { type: 'PointAlarmStatusEvent', userId: 'operator', alarmStatus: status, alarmsChanged: false, ...parts },
    ]);
  }
});

test('a stopped command goes on where it stopped', async () => {
  await loseStream();
  const list = join(folder, 'nodes.txt');
  writeFileSync(list, ids.slice(0, 6).join('\n'));
  writeFileSync(
    journal,
    [{ republish: randomUUID() }, ...ids.slice(0, 4).map((key) => ({ node: key, key }))]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const [code, said] = await republish('--nodes-from', list, '--rate', '20');
  expect(code, said).toBe(0);
  expect(said).toContain('2 publish, 0 have nothing to publish, 4 done before, 0 not found');
  const found = await eventually(inStream, (streamed) => isWhole(streamed, 2));
  expect([...found.keys()].sort()).toEqual(ids.slice(4, 6).sort());
});

test('nodes are chosen by status', async () => {
  await loseStream();
  const [code, said] = await eventually(
    () => republish('--status', 'ALERT', '--again'),
    ([, output]) => output.includes(`${NODES / 2} publish`),
    30_000,
  );
  expect(code, said).toBe(0);
  const found = await eventually(inStream, (streamed) => isWhole(streamed, NODES / 2));
  expect([...found.keys()].sort()).toEqual(ids.filter((_, index) => index % 2 === 1).sort());
});

test('a node that is not there is named, and the others publish', async () => {
  const unknown = randomUUID();
  const [code, said] = await republish(unknown, ids[0]!, '--again');
  expect(code, said).toBe(1);
  expect(said).toContain(`${unknown}: Temporal has no such node`);
  expect(said).toContain('1 publish, 0 have nothing to publish, 0 done before, 1 not found');
});

/** A node that does not answer. */
const silentNode = async (): Promise<string> => {
  const nodeId = randomUUID();
  const handle = await service.client.workflow.start('pointAlarm', {
    workflowId: `point-alarm-${nodeId}`,
    taskQueue: `nobody-${randomUUID()}`,
  });
  onTestFinished(async () => void (await handle.terminate()));
  return nodeId;
};

test('a node that does not answer ends the command only once no other answers', async () => {
  const unknown = Array.from({ length: 20 }, () => randomUUID());
  const [code, said] = await republish(await silentNode(), ...unknown, '--again', '--rate', '1', '--patience', '4');
  expect(code, said).toBe(3);
  expect(said).toContain('20 not found, 1 left');
  expect(said).not.toContain('Warning');
});

test('a worker that is unavailable stops the command, which keeps its journal', async () => {
  const nodeId = await silentNode();
  const [code, said] = await republish(nodeId, '--again', '--patience', '0');
  expect(code, said).toBe(3);
  expect(said).toContain('0 publish, 0 have nothing to publish, 0 done before, 0 not found, 1 left');
  expect(readFileSync(journal, 'utf8')).toMatch(/^\{"republish":/u);
});
