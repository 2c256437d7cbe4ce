import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { askNode, views } from '../../../../api/nodes/temporal/reads';
import { type RunningReadCache, startReadCache } from '../../../../api/nodes/read-cache';
import type { PointAlarms } from '../../../../api/ports';
import { type Relay, startRelay } from '../../../../api/nodes/relay';
import { connectRedis, type RedisLink } from '../../../../stream/connection';
import { recordedLog } from '../../../support/recorded-log';
import { createApiSide, upTo } from '../../../support/api-side';
import { bringUpNodes, eventually, type Nodes } from '../../workflows/nodes';
import { eventSettings } from '../../../support/redis/event-settings';
import type { Status } from '../../../../workflows/domain/alarm/status';

const { log, records } = recordedLog();
let nodes: Nodes;
let redis: RedisLink;
beforeAll(async () => {
  nodes = await bringUpNodes();
  redis = connectRedis({ url: inject('redisUrl'), log, name: 'test' });
  await eventually(redis.answers, (answers) => answers);
});
afterAll(async () => {
  await nodes.stop();
  await redis.close();
});

/** An API process that relays, and reads from the cache. */
interface Process {
  readonly nodes: PointAlarms;
  /** The nodes that it asked, in order. */
  readonly asked: ReadonlyArray<string>;
  readonly close: () => Promise<void>;
}

const started = (): Process => {
  const asked: string[] = [];
  const link = connectRedis({ url: inject('redisUrl'), log, name: 'memory' });
  const running: { relay?: Relay; cache?: RunningReadCache } = {};
  const side = createApiSide(inject('temporalAddress'), nodes, 10_000, (sender) => {
    const events = eventSettings({ stream: nodes.stream });
    running.relay = startRelay({
      ...sender,
      redis,
      events,
      registry: new Registry(),
    });
    running.cache = startReadCache({
      redis: link,
      ...events,
      ask: (nodeId) => {
        asked.push(nodeId);
        return askNode(sender, views.snapshot, nodeId, Date.now() + 10_000);
      },
      nodes: 100,
      callDeadlineMs: 10_000,
      log,
    });
    return running.cache.reporting(running.relay.sendGroup);
  });
  return {
    nodes: running.cache?.reading(side.nodes) ?? side.nodes,
    asked,
    close: async () => {
      await Promise.all([running.cache?.close(), running.relay?.close()]);
      await Promise.all([link.close(), side.close()]);
    },
  };
};

let one: Process;
let other: Process;
beforeEach(() => {
  [one, other] = [started(), started()];
});
afterEach(() => Promise.all([one.close(), other.close()]));

const setExternal = async (by: Process, nodeId: string, status: number): Promise<void> => {
  const about = { userId: 'tester', idempotencyKey: randomUUID() };
  expect(
    E.isRight(await by.nodes.send(nodeId, { name: 'setExternalAlarm', ...about, status: status as Status })()),
  ).toBe(true);
};
const setFullScale = async (by: Process, nodeId: string, fullScale: number): Promise<void> => {
  const about = { userId: 'tester', idempotencyKey: randomUUID() };
  expect(E.isRight(await by.nodes.send(nodeId, { name: 'setThreshold', ...about, threshold: { fullScale } })())).toBe(
    true,
  );
};

/** What a process reads of a node, and what the node says itself. */
const read = async (by: Process, nodeId: string, isFresh = false): Promise<unknown> => {
  const [threshold, alarmStatus] = await Promise.all([
    by.nodes.threshold(nodeId, { isFresh })(),
    by.nodes.alarmStatus(nodeId, { isFresh })(),
  ]);
  if (E.isLeft(threshold) || E.isLeft(alarmStatus)) throw new Error('a read failed');
  return { threshold: threshold.right.value, alarmStatus: alarmStatus.right.value };
};
const isFromMemory = async (by: Process, nodeId: string): Promise<boolean> => {
  const found = await by.nodes.alarmStatus(nodeId)();
  return E.isRight(found) && found.right.age !== undefined;
};

test('a node is asked once, and then remembered as its events tell', async () => {
  const nodeId = randomUUID();
  await setFullScale(one, nodeId, 1);
  await eventually(
    () => isFromMemory(other, nodeId),
    (is) => is,
  );
  const askedSoFar = other.asked.length;
  for (const number of upTo(20)) {
    await setExternal(one, nodeId, number % 5);
    if (number % 5 === 0) await setFullScale(one, nodeId, number + 2);
  }
  await eventually(
    async () => [await read(other, nodeId), await read(one, nodeId, true)],
    ([remembered, own]) => JSON.stringify(remembered) === JSON.stringify(own),
  );
  expect(other.asked).toHaveLength(askedSoFar);
  expect(await read(other, nodeId)).toMatchObject({ threshold: { revision: 5, threshold: { fullScale: 17 } } });
});

test('a node that nobody ever touched is remembered too, until somebody does', async () => {
  const nodeId = randomUUID();
  await eventually(
    () => isFromMemory(other, nodeId),
    (is) => is,
  );
  expect(await read(other, nodeId)).toMatchObject({ alarmStatus: { status: 0, updatedAt: 0 } });
  await setExternal(one, nodeId, 4);
  await eventually(
    () => read(other, nodeId),
    (found) => JSON.stringify(found).includes('"status":4'),
  );
});

test('what the stream lost is noticed, and nodes are asked again', async () => {
  const nodeId = randomUUID();
  await setExternal(one, nodeId, 2);
  await eventually(
    () => isFromMemory(one, nodeId),
    (is) => is,
  );
  records.length = 0;
  await redis.client.del(nodes.stream);
  await setExternal(other, nodeId, 4);
  await eventually(
    () => read(one, nodeId),
    (found) => JSON.stringify(found).includes('"status":4'),
  );
});
