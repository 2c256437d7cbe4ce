import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createSendGroup } from '../../../../api/nodes/temporal/send-group';
import { startRelay } from '../../../../api/nodes/relay';
import { createPublishIntents, type PublishIntents } from '../../../../stream/publish-intents';
import { connectRedis, type RedisLink } from '../../../../stream/connection';
import { queries } from '../../../../workflows/messages';
import { recordedLog } from '../../../support/recorded-log';
import { createApiSide, upTo, type ApiSide } from '../../../support/api-side';
import { bringUpNodes, eventually, type Entry } from '../../workflows/nodes';
import { eventSettings } from '../../../support/redis/event-settings';
import type { Status } from '../../../../workflows/domain/alarm/status';
import { forFile } from '../../../support/for-file';

const { log } = recordedLog();
const nodes = forFile(bringUpNodes, ({ stop }) => stop());
let redis: RedisLink;
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

/** Writes its intent, commits, and is gone: nobody says that it lives. */
const diesBeforePush: NonNullable<Parameters<typeof createApiSide>[3]> = (sender) => {
  const intents: PublishIntents = createPublishIntents(redis, nodes.stream);
  const send = createSendGroup(sender);
  return async (nodeId, commands, until) => {
    await intents.write(nodeId);
    return send(nodeId, { commands, relay: 'api' }, until);
  };
};
