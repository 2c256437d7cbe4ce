import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { expect, inject, onTestFinished, test } from 'vitest';
import { testPort } from '../../../../dev/stack/free-ports';
import { createApiSide, type ApiSide } from '../../../support/api-side';
import { openTcpProxy, type TcpProxy } from '../../../support/tcp-proxy';
import { bringUpNodes } from '../../../integration/workflows/nodes';
import { forFile } from '../../../support/for-file';

/** A third of the default deadline of a call is left by then. */
const FOUND_WITHIN_MS = 7_000;

/** Several times what the server takes to cut a connection that is pinged too often. */
const IDLE_MS = 65_000;

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

/** The API's side with its default deadline, whose connection to Temporal leads over a way. */
const overWay = async (): Promise<{ readonly api: ApiSide; readonly way: TcpProxy }> => {
  const port = testPort();
  const way = await openTcpProxy(port, Number(inject('temporalAddress').split(':')[1]));
  const api = createApiSide(`127.0.0.1:${port}`, nodes);
  onTestFinished(async () => {
    await api.close();
    way.close();
  });
  return { api, way };
};

const putTo = (api: ApiSide, nodeId: string, fullScale: number) =>
  api.nodes.send(nodeId, {
    name: 'setThreshold',
    userId: 'u',
    idempotencyKey: randomUUID(),
    threshold: { fullScale },
  })();

/** Has the connection go silent; a write and a read at once must still be answered, and revision 2 be written. */
const expectOutlived = async ({ api, way }: Awaited<ReturnType<typeof overWay>>, nodeId: string): Promise<void> => {
  way.silence();
  const began = performance.now();
  const [written, read] = await Promise.all([putTo(api, nodeId, 2), api.nodes.alarmStatus(nodeId)()]);
  expect(written).toEqual(E.right({ _tag: 'Applied', revision: 2 }));
  expect(E.isRight(read)).toBe(true);
  expect(performance.now() - began).toBeLessThan(FOUND_WITHIN_MS);
};

test('calls outlive a connection to Temporal that goes silent and stays open', async () => {
  const both = await overWay();
  const nodeId = randomUUID();
  expect(await putTo(both.api, nodeId, 1)).toEqual(E.right({ _tag: 'Applied', revision: 1 }));
  await expectOutlived(both, nodeId);
  expect(both.api.logged.filter((line) => line.includes('is silent'))).toHaveLength(1);
});

test('a connection that no call uses is not cut by the server for its pings, and is watched all the same', async () => {
  const both = await overWay();
  const nodeId = randomUUID();
  expect(await putTo(both.api, nodeId, 1)).toEqual(E.right({ _tag: 'Applied', revision: 1 }));
  await sleep(IDLE_MS);
  expect(E.isRight(await both.api.nodes.alarmStatus(nodeId)())).toBe(true);
  expect(both.way.connections()).toBe(1);
  await expectOutlived(both, nodeId);
});
