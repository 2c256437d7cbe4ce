import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createSendGroup } from '../../../../api/nodes/temporal/send-group';
import { startRelay } from '../../../../api/nodes/relay';
import { createPublishIntents, type PublishIntents } from '../../../../stream/publish-intents';
import { publishedKey } from '../../../../stream/append';
import { connectRedis, type RedisConnection } from '../../../../stream/connection';
import { queries } from '../../../../workflows/messages';
import { nextUlid } from '../../../../workflows/domain/ulid';
import { recordedLog } from '../../../support/recorded-log';
import { createApiSide, upTo, type ApiSide } from '../../../support/api-side';
import { bringUpNodes, eventually, type Entry } from '../../workflows/nodes';
import { eventSettings } from '../../../support/redis/event-settings';
import type { Status } from '../../../../workflows/domain/alarm/status';
import { forFile } from '../../../support/for-file';

const { log } = recordedLog();
const nodes = forFile(bringUpNodes, ({ stop }) => stop());
let redis: RedisConnection;
beforeAll(async () => {
  redis = connectRedis({ url: inject('redisUrl'), log, name: 'test' });
  await eventually(redis.answers, (answers) => answers);
});
afterAll(() => redis.close());

/** An API process that pushes. */
const relaying = (): { readonly side: ApiSide; readonly stop: () => Promise<void> } => {
  const started: ReturnType<typeof startRelay>[] = [];
  const side = createApiSide(inject('temporalAddress'), nodes, 10_000, (sender) => {
    const events = eventSettings({ stream: nodes.stream });
    const relay = startRelay(sender, redis, events, new Registry());
    started.push(relay);
    return relay.sendGroup;
  });
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(({ close }) => close()));
    await side.close();
  };
  return { side, stop };
};

const setExternal = (side: ApiSide, nodeId: string, status: number) =>
  side.nodes.send(nodeId, {
    name: 'setExternalAlarm',
    userId: 'tester',
    idempotencyKey: randomUUID(),
    status: status as Status,
  })();

const statuses = (entries: ReadonlyArray<Entry>): ReadonlyArray<number> =>
  entries.map(({ data = '' }) => (JSON.parse(data) as { readonly alarmStatus: number }).alarmStatus);

const activitiesOf = async (nodeId: string): Promise<number> => {
  const { events } = await nodes.handle(nodeId).fetchHistory();
  return (events ?? []).filter(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled != null).length;
};

const intentsLeft = (): Promise<number> => redis.client.zCard(`${nodes.stream}:intents`);

describe('an API that pushes', () => {
  test('puts events into the stream without an activity, and leaves no intent', async () => {
    const { side, stop } = relaying();
    const nodeId = randomUUID();
    for (const number of upTo(10))
      expect(await setExternal(side, nodeId, number % 5)).toEqual(E.right({ _tag: 'Applied', revision: 0 }));
    expect(statuses(await nodes.entriesOnce(nodeId, 10))).toEqual(upTo(10).map((number) => number % 5));
    expect(await activitiesOf(nodeId)).toBe(0);
    await stop();
    expect(await intentsLeft()).toBe(0);
    // What the last answer handed over is confirmed by the next command.
    expect(await nodes.handle(nodeId).query(queries.pendingEvents)).toHaveLength(1);
  });

  test('publishes what a process owes that died between commit and relay', async () => {
    const nodeId = randomUUID();
    const dying = createApiSide(inject('temporalAddress'), nodes, 10_000, diesBeforePush);
    expect(await setExternal(dying, nodeId, 4)).toEqual(E.right({ _tag: 'Applied', revision: 0 }));
    await dying.close();
    expect(await nodes.entries(nodeId)).toEqual([]);
    expect(await intentsLeft()).toBe(1);
    const { stop } = relaying();
    expect(statuses(await nodes.entriesOnce(nodeId, 1))).toEqual([4]);
    await stop();
  });
});

const HOUR_MS = 3_600_000;

/** A node that lived and was terminated, while the clock of Temporal was an hour ahead. */
const terminatedNode = async (): Promise<{ readonly nodeId: string; readonly lastId: string }> => {
  const nodeId = randomUUID();
  await nodes.send(nodeId, [{ name: 'setExternalAlarm', userId: 'tester', status: 4 }]);
  await nodes.entriesOnce(nodeId, 1);
  await nodes.handle(nodeId).terminate();
  const lastId = nextUlid('', Date.now() + HOUR_MS, [0.5, 0.5]);
  await redis.client.hSet(publishedKey(nodes.stream), nodeId, lastId);
  return { nodeId, lastId };
};

describe('a node that is set up anew under an earlier clock publishes each of its events once, above the ids of its earlier life,', () => {
  const inOrder = async (nodeId: string, lastId: string, expected: ReadonlyArray<number>): Promise<void> => {
    const all = (await nodes.entriesOnce(nodeId, 1 + expected.length)).slice(1);
    expect(statuses(all)).toEqual(expected);
    const ids = [lastId, ...all.map(({ sequenceId = '' }) => sequenceId)];
    expect(ids).toEqual([...new Set(ids)].sort());
  };

  test('by an API', async () => {
    const { nodeId, lastId } = await terminatedNode();
    const { side, stop } = relaying();
    for (const number of upTo(3)) await setExternal(side, nodeId, number);
    await inOrder(nodeId, lastId, [0, 1, 2]);
    for (const number of upTo(3)) await setExternal(side, nodeId, number);
    await stop();
    await inOrder(nodeId, lastId, [0, 1, 2, 0, 1, 2]);
  });

  test('by itself', async () => {
    const { nodeId, lastId } = await terminatedNode();
    for (const status of [0, 1, 2]) await nodes.send(nodeId, [{ name: 'setExternalAlarm', userId: 'tester', status }]);
    await inOrder(nodeId, lastId, [0, 1, 2]);
    await nodes.allPublished(nodeId);
  });
});

/** Writes its intent, commits, and is gone: nobody says that it lives. */
const diesBeforePush: NonNullable<Parameters<typeof createApiSide>[3]> = (sender) => {
  const intents: PublishIntents = createPublishIntents(redis, nodes.stream);
  const send = createSendGroup(sender);
  return async (nodeId, commands, until) => {
    await intents.write(nodeId);
    return send(nodeId, { commands, relay: 'api' }, until);
  };
};
