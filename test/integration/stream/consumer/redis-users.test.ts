import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { createClient } from 'redis';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { consumeEvents, NotNow, type ConsumerOptions } from '../../../../stream/consumer';
import { createPublisher } from '../../../../stream/append';
import { newNode } from '../../../../workflows/domain/node/state';
import { documentedUser, type DocumentedUser } from '../../../support/redis/documented-user';
import { eventSettings } from '../../../support/redis/event-settings';
import { sharedRedis } from '../../../support/redis/shared-redis';
import { setExternalAlarm } from '../../../support/commands';
import { accepted, anId, send, START } from '../../../support/scenario';

const url = inject('redisUrl');
const redis = sharedRedis();

const soon = { timeout: 60_000, interval: 50 };

test('a consumer may do all that it has to', async () => {
  const [stream, group] = [`consumed-${randomUUID()}`, `group-${randomUUID()}`];
  const user = await documentedUser(redis, url, { name: 'trail', stream, group });
  const nodes = Array.from({ length: 12 }, (_, n) => anId(n));
  for (const nodeId of nodes) {
    const events = accepted(send(newNode(nodeId), setExternalAlarm({ status: 2 }), START)).node.outbox.waiting;
    await createPublisher({ client: redis }, eventSettings({ stream })).append({ nodeId, events });
  }
  await redis.xAdd(stream, '*', { type: 'PointAlarmStatusEvent', data: '{' });
  const registry = new Registry();
  const reported: string[] = [];
  const start = (handle: ConsumerOptions['handle']) => {
    const stopping = new AbortController();
    const running = consumeEvents({
      ...{ redis: { url: user.url }, stream, group, registry, handle, signal: stopping.signal },
      report: (line) => void reported.push(line),
    });
    return async () => {
      stopping.abort();
      await running;
    };
  };

  let postponed = 0;
  const stopFirst = start(() => {
    postponed += 1;
    throw new NotNow('later');
  });
  await vi.waitFor(() => expect(postponed, reported.join('\n')).toBeGreaterThan(nodes.length), soon);
  await stopFirst(); // it leaves its events to others
  registry.clear();
  let failures = 0;
  const stopSecond = start(async ({ aggregateId }, kept) => {
    failures += 1;
    if (aggregateId === anId(0) || failures === 1) throw new Error('it fails');
    return { trail: aggregateId, texts: { seen: (await kept('seen')) ?? 'once', gone: null } };
  });
  await vi.waitFor(async () => {
    const lengths = [await redis.lLen(`${stream}:${group}:trail`), await redis.xLen(`${stream}:${group}:aside`)];
    expect(lengths, reported.join('\n')).toEqual([nodes.length - 1, 2]);
  }, soon);
  expect(await registry.metrics()).toMatch(/point_alarm_consumer_lag\{.*\} 0/u);
  await stopSecond();
  expect(await redis.xInfoConsumers(stream, group)).toEqual([expect.objectContaining({ pending: 0 })]);
  expect(await user.denied()).toEqual([]);
});

/** Runs commands as the user, on a connection of its own. */
const connectedAs = async (user: DocumentedUser) => {
  const client = createClient({ url: user.url });
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
};

test.each(['onlooker', 'reader', 'trail', 'alerts'])('the user %s forges, trims and deletes nothing', async (name) => {
  const [stream, group] = [`consumed-${randomUUID()}`, `group-${randomUUID()}`];
  const client = await connectedAs(await documentedUser(redis, url, { name, stream, group }));
  const refused = [
    ['XADD', stream, '*', 'type', 'PointAlarmStatusEvent'],
    ['XDEL', stream, '0-1'],
    ['XTRIM', stream, 'MAXLEN', '0'],
    ['DEL', stream],
    ['XGROUP', 'DESTROY', stream, group],
    ['XGROUP', 'SETID', stream, group, '$'],
    ['HSET', `${stream}:published`, anId(0), 'Z'],
    ['HDEL', `${stream}:published`, anId(0)],
    ['HGET', `${stream}:other:last`, anId(0)],
    ['EVAL', "return redis.call('XADD', KEYS[1], '*', 'type', 'x')", '1', stream],
  ];
  for (const command of refused)
    await expect(client.sendCommand(command)).rejects.toThrow(/no permissions|can't (?:run|access)/iu);
});

test('an onlooker reads what `pas watch` and `pas top` do, and joins no group', async () => {
  const [stream, group] = [`consumed-${randomUUID()}`, `group-${randomUUID()}`];
  const id = await redis.xAdd(stream, '*', { type: 'Other' });
  const user = await documentedUser(redis, url, { name: 'onlooker', stream, group });
  const client = await connectedAs(user);
  expect(await client.xRevRange(stream, '+', '-', { COUNT: 1 })).toMatchObject([{ id }]);
  expect(await client.xRead({ key: stream, id: '0' })).toMatchObject([{ messages: [{ id }] }]);
  await client.time();
  await client.ping();
  expect(await user.denied()).toEqual([]);
  await expect(client.xGroupCreate(stream, group, '0')).rejects.toThrow('no permissions');
});
