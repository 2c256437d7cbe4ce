import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, inject, test, vi } from 'vitest';
import { fieldNames } from '../../../../stream/entry';
import { createPublisher } from '../../../../stream/append';
import { consumeEvents, NotNow, type ConsumerOptions } from '../../../../stream/consumer';
import { joinGroup, newEntries, SWEEP } from '../../../../stream/consumer/group';
import { anId } from '../../../support/scenario';
import { CLAIM_AFTER_MS, consumersOf, idsOf, names, nodesOf, soon } from '../../../support/redis/consumers';
import { eventSettings } from '../../../support/redis/event-settings';
import { sharedRedis } from '../../../support/redis/shared-redis';
import { runNode, type RunningProcess } from '../../../support/run-node';

const url = inject('redisUrl');
const redis = sharedRedis();

const { publish, published, handled, entriesOf, pending, consumer, consuming, consumed } = consumersOf(redis, url);

test('two consumers, one killed in the middle of its work: each event is handled once, those of a node in order', async () => {
  const { stream, group } = names();
  const nodes = nodesOf(30, 60);
  const start = (): RunningProcess =>
    runNode(['--import', 'tsx', 'docs/examples/consume-events.ts'], {
      ...process.env,
      REDIS_URL: url,
      EVENT_STREAM: stream,
      CONSUMER_GROUP: group,
      CLAIM_AFTER_MS: String(CLAIM_AFTER_MS),
    });
  const victim = start();
  let survivor: RunningProcess | undefined;
  try {
    const consumers = async () => await redis.xInfoConsumers(stream, group).catch(() => []);
    await vi.waitFor(async () => expect(await consumers()).toHaveLength(1), soon);
    const [first] = await consumers();
    survivor = start();
    await vi.waitFor(async () => expect(await consumers()).toHaveLength(2), soon);
    const publishing = publish(stream, nodes);
    await vi.waitFor(async () => {
      victim.signal('SIGSTOP'); // what it has in hand now, it has when it is killed
      const inHand = (await consumers()).find(({ name }) => name === first?.name)?.pending ?? 0;
      if (inHand === 0) victim.signal('SIGCONT');
      expect(inHand).toBeGreaterThan(0);
    }, soon);
    await victim.stop();
    await publishing;
    await vi.waitFor(
      async () => expect(await redis.lLen(`${stream}:${group}:trail`)).toBeGreaterThanOrEqual(1_800),
      soon,
    );
    expect(await handled({ stream, group })).toEqual(idsOf(nodes));
    await vi.waitFor(async () => expect(await pending(stream, group)).toBe(0), soon);
    expect(await redis.xLen(`${stream}:${group}:aside`)).toBe(0);
    survivor.signal('SIGTERM');
    expect(await survivor.exited, survivor.said()).toBe(0);
    expect(await consumers()).toHaveLength(1); // only the dead one is left
  } finally {
    await Promise.all([victim.stop(), survivor?.stop()]);
  }
});

test('consumers of uneven speed, and claims while an event is still handled, keep the order of each node', async () => {
  const { own, nodes } = await published(5, 30);
  let handling = 0;
  const slowly: ConsumerOptions['handle'] = async (event) => {
    handling += 1;
    await sleep(handling % 40 === 0 ? 400 : handling % 3);
    return { trail: JSON.stringify(event) };
  };
  await Promise.all([1, 2, 3].map(() => consumed(own, { handle: slowly, claimAfterMs: 200 })));
  expect(await handled(own)).toEqual(idsOf(nodes));
});

test('an event that fails three times is set aside, the next of its node waits until then; so is one that cannot be read', async () => {
  const { own, nodes } = await published(2, 4);
  await redis.xAdd(own.stream, '*', { type: 'PointAlarmStatusEvent', data: '{' });
  const poison = nodes.get(anId(0))![1]!.sequenceId;
  const tries: string[] = [];
  await consumed(own, {
    handle: (event) => {
      if (event.aggregateId === anId(0)) {
        tries.push(event.sequenceId);
        if (event.sequenceId === poison) throw new Error('poison');
      }
      return { trail: JSON.stringify(event) };
    },
  });
  expect(await redis.xLen(`${own.stream}:${own.group}:aside`)).toBe(2);
  const [first, , third, fourth] = nodes.get(anId(0))!.map(({ sequenceId }) => sequenceId);
  expect(tries).toEqual([first, poison, poison, poison, third, fourth]);
  expect((await handled(own)).get(anId(1))).toEqual(idsOf(nodes).get(anId(1)));
  const aside = (await entriesOf(`${own.stream}:${own.group}:aside`)).map(({ message }) => message);
  expect(aside).toContainEqual(expect.objectContaining({ reason: 'poison', sequenceId: poison }));
  expect(aside).toContainEqual(expect.objectContaining({ reason: 'data is not JSON', data: '{' }));
});

test.each([
  [8, 0],
  [9, 1],
])('an event in whose handling %i processes ended: %i is set aside', async (ended, aside) => {
  const { own, nodes } = await published(1, 2);
  const [first, second] = idsOf(nodes).get(anId(0))!;
  const [entry] = await entriesOf(own.stream);
  await redis.hSet(`${own.stream}:${own.group}:attempts`, entry!.id, String(ended));
  const { stop } = consuming(own);
  const expected = aside === 0 ? [first, second] : [second];
  await vi.waitFor(async () => expect((await handled(own)).get(anId(0))).toEqual(expected), soon);
  expect(await redis.xLen(`${own.stream}:${own.group}:aside`)).toBe(aside);
  await stop();
});

test('an event that was published twice, as after a loss of data, has one effect', async () => {
  const { own, nodes } = await published(1, 3);
  await redis.del(`${own.stream}:published`);
  await publish(own.stream, nodes);
  expect(await redis.xLen(own.stream)).toBe(6);
  await consumed(own);
  expect(await handled(own)).toEqual(idsOf(nodes));
});

test('an entry has just the fields that docs/asyncapi.yaml tells of', async () => {
  const { stream } = names();
  await publish(stream, nodesOf(1, 1));
  const [entry] = await entriesOf(stream);
  expect(Object.keys(entry!.message)).toEqual(fieldNames('Vendor.Hierarchy'));
});

test('a stream keeps about as many entries as it is to, the newest', async () => {
  const { stream } = names();
  const nodes = nodesOf(10, 60);
  const publisher = createPublisher({ client: redis }, eventSettings({ stream, maxLength: 100 }));
  for (const [nodeId, events] of nodes) await publisher.append({ nodeId, events });
  const entries = await entriesOf(stream);
  expect(entries.length).toBeGreaterThanOrEqual(100);
  expect(entries.length).toBeLessThan(300); // Redis trims a block of a hundred at once
  expect(entries.at(-1)?.message['sequenceId']).toBe(idsOf(nodes).get(anId(9))?.at(-1));
});

test('the entries set aside are bounded: the oldest go', async () => {
  const own = names();
  const aside = `${own.stream}:${own.group}:aside`;
  for (let begin = 0; begin < 12_000; begin += 1_000)
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => redis.xAdd(aside, '*', { entry: `0-${begin + at}` })));
  await redis.xAdd(own.stream, '*', { type: 'PointAlarmStatusEvent', data: '{' });
  await consumed(own);
  expect(await redis.xLen(aside)).toBeLessThan(10_200);
  const [newest] = (await redis.xRevRange(aside, '+', '-', { COUNT: 1 })) ?? [];
  expect(newest?.message).toMatchObject({ data: '{' });
});

test.each(['last', 'attempts', 'aside', 'trail', 'of:another'])(
  'an effect on the hash %s, which is not its own, is an error of the handler',
  async (name) => {
    const { own } = await published(1, 1);
    const reported: string[] = [];
    await consumed(own, { handle: () => ({ texts: { [name]: 'x' } }), report: (line) => void reported.push(line) });
    expect(reported.join()).toContain(`failed: ${name} cannot be the name of a hash`);
    expect(await redis.xLen(`${own.stream}:${own.group}:aside`)).toBe(1);
  },
);

test('a group whose keys could be those of a group of another stream is refused', async () => {
  const own = { ...names(), group: 'plant:alerts' };
  await expect(consumeEvents(consumer(own, { signal: AbortSignal.abort() }))).rejects.toThrow(
    'the group plant:alerts must have no colon in its name',
  );
});

test.each([NaN, 0, 2 ** 31])('claimAfterMs of %d is refused: a timer cannot take it', async (claimAfterMs) => {
  const own = consumer(names(), { signal: AbortSignal.abort() });
  await expect(consumeEvents({ ...own, claimAfterMs })).rejects.toThrow(
    `claimAfterMs is ${claimAfterMs}, it must be a time of 1 to 2147483647 ms`,
  );
});

test('what a group keeps of a node is there for its next event, and goes when it is removed', async () => {
  const { own } = await published(3, 5);
  await consumed(own, {
    handle: async (_event, kept) => {
      const before = Number((await kept('count')) ?? '0');
      return { trail: String(before), texts: { count: before === 3 ? null : String(before + 1) } };
    },
  });
  expect((await redis.lRange(`${own.stream}:${own.group}:trail`, 0, -1)).sort()).toEqual(
    ['0', '1', '2', '3', '0'].flatMap((count) => [count, count, count]).sort(),
  );
  expect(await redis.hGetAll(`${own.stream}:${own.group}:count`)).toEqual({
    [anId(0)]: '1',
    [anId(1)]: '1',
    [anId(2)]: '1',
  });
});

test('while what it needs is unavailable an event waits, however long, and is not set aside', async () => {
  const { own, nodes } = await published(4, 3);
  const registry = new Registry();
  let asked = 0;
  await consumed(own, {
    registry,
    handle: (event) => {
      asked += 1;
      if (asked <= 20) throw new NotNow('the sink is unavailable');
      return { trail: JSON.stringify(event) };
    },
  });
  expect(await handled(own)).toEqual(idsOf(nodes));
  expect(await redis.xLen(`${own.stream}:${own.group}:aside`)).toBe(0);
  const shown = await registry.metrics();
  expect(shown).toContain('point_alarm_consumer_events_total{outcome="handled"} 12');
  expect(shown).toContain('point_alarm_consumer_events_total{outcome="postponed"} 20');
});

test('a consumer that ends while its events wait leaves them to another at once', async () => {
  const { own, nodes } = await published(2, 2);
  let waiting = 0;
  const { stop } = consuming(own, {
    claimAfterMs: 600_000,
    handle: () => {
      waiting += 1;
      throw new NotNow('later');
    },
  });
  await vi.waitFor(() => expect(waiting).toBeGreaterThan(2), soon);
  await stop();
  await consumed(own, { claimAfterMs: 600_000 });
  expect(await handled(own)).toEqual(idsOf(nodes));
});

/** Ends the connections that consumers of the group have. */
const cutOff = async (group: string): Promise<void> => {
  const clients = (await redis.sendCommand<string>(['CLIENT', 'LIST'])).split('\n');
  const ids = clients.flatMap((line) => (line.includes(` name=${group} `) ? (/^id=(\d+)/u.exec(line)?.[1] ?? []) : []));
  expect(ids).toHaveLength(2);
  for (const id of ids) await redis.sendCommand(['CLIENT', 'KILL', 'ID', id]);
};

/** A consumer that has all events of a node in hand but the first, which another one holds; `go` finishes that. */
const heldBack = async (count: number) => {
  const { own, nodes } = await published(1, count);
  const group = {
    ...own,
    keyPrefix: `${own.stream}:${own.group}`,
    begin: 'oldest',
    claimAfterMs: CLAIM_AFTER_MS,
  } as const;
  const other = { ...group, consumer: 'other' };
  await joinGroup({ client: redis }, other, false);
  const [first] = (await newEntries({ client: redis }, other, 1)).entries;
  const registry = new Registry();
  const { stop } = consuming(own, { claimAfterMs: 600_000, registry });
  await vi.waitFor(async () => expect(await pending(own.stream, own.group)).toBe(count), soon);
  const [, second] = await entriesOf(own.stream);
  return {
    own,
    registry,
    ids: idsOf(nodes).get(anId(0)) ?? [],
    second: second!.id,
    go: async () => {
      await redis.xAck(own.stream, own.group, first!.id);
      await vi.waitFor(async () => expect(await pending(own.stream, own.group)).toBe(0), soon);
      await stop();
    },
  };
};

test('a consumer that lost its connections goes on with all that it had in hand, however much that is', async () => {
  const { own, ids, go } = await heldBack(41);
  await cutOff(own.group);
  await go();
  expect((await handled(own)).get(anId(0))).toEqual(ids.slice(1));
});

test('what was trimmed while a consumer had it in hand is lost, and does not hold up the rest', async () => {
  const { own, registry, ids, second, go } = await heldBack(4);
  await redis.hSet(`${own.stream}:${own.group}:attempts`, second, '1'); // as of a process that died
  await redis.xDel(own.stream, second);
  await cutOff(own.group);
  const lost = 'point_alarm_consumer_events_total{outcome="lost"} 1';
  await vi.waitFor(async () => expect(await registry.metrics()).toContain(lost), soon);
  await go();
  expect((await handled(own)).get(anId(0))).toEqual(ids.slice(2));
  expect(await redis.hGetAll(`${own.stream}:${own.group}:attempts`)).toEqual({});
});

test('the lag is what the group has still to handle', async () => {
  const { own } = await published(2, 5);
  const registry = new Registry();
  let isHeld = true;
  const { stop } = consuming(own, {
    registry,
    handle: () => {
      if (isHeld) throw new NotNow('held');
      return undefined;
    },
  });
  const lag = async () => /point_alarm_consumer_lag\{.*\} (\d+)/u.exec(await registry.metrics())?.[1];
  await vi.waitFor(async () => expect(await lag()).toBe('10'), soon);
  isHeld = false;
  await vi.waitFor(async () => expect(await lag()).toBe('0'), soon);
  await stop();
});

test('a consumer without entries that was silent for an hour is removed, one with entries stays', async () => {
  const { own } = await published(1, 2);
  await redis.xGroupCreate(own.stream, own.group, '0');
  await redis.xGroupCreateConsumer(own.stream, own.group, 'gone');
  await redis.xReadGroup(own.group, 'dead', { key: own.stream, id: '>' }, { COUNT: 1 });
  const sweep = (ms: string) => redis.eval(SWEEP, { keys: [own.stream], arguments: [own.group, ms] });
  const consumers = async () => (await redis.xInfoConsumers(own.stream, own.group)).map(({ name }) => name).sort();
  await sweep('3600000');
  expect(await consumers()).toEqual(['dead', 'gone']);
  await sleep(5);
  await sweep('1');
  expect(await consumers()).toEqual(['dead']);
  expect(await pending(own.stream, own.group)).toBe(1);
});
