import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, inject, test, vi } from 'vitest';
import { fieldNames } from '../../../../stream/entry';
import { createPublisher } from '../../../../stream/append';
import { consumeEvents, NotNow, type ConsumerOptions } from '../../../../stream/consumer';
import { SWEEP } from '../../../../stream/consumer/group';
import { newNode } from '../../../../workflows/domain/node/state';
import type { OutboxEvent } from '../../../../workflows/domain/node/outbox';
import { setExternalAlarm } from '../../../support/commands';
import { accepted, anId, send, START } from '../../../support/scenario';
import { eventSettings } from '../../../support/redis/event-settings';
import { sharedRedis } from '../../../support/redis/shared-redis';
import { runNode, type RunningProcess } from '../../../support/run-node';

const url = inject('redisUrl');
const redis = sharedRedis();

const names = () => ({ stream: `consumed-${randomUUID()}`, group: `group-${randomUUID()}` });
const CLAIM_AFTER_MS = 2_000;

/** The events of a node that got `count` commands; each is an event. */
const eventsOf = (nodeId: string, count: number): ReadonlyArray<OutboxEvent> =>
  Array.from({ length: count }).reduce(
    ({ node, events }: { node: ReturnType<typeof newNode>; events: ReadonlyArray<OutboxEvent> }, _, index) => {
      const after = accepted(send(node, setExternalAlarm({ status: index % 5 }), START + index)).node;
      return { node: { ...after, outbox: node.outbox }, events: [...events, ...after.outbox.waiting] };
    },
    { node: newNode(nodeId), events: [] },
  ).events;

/** Publishes the events of all nodes, some of each in turn, as a worker does. */
const publish = async (stream: string, nodes: ReadonlyMap<string, ReadonlyArray<OutboxEvent>>): Promise<void> => {
  const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
  for (let from = 0; [...nodes.values()].some(({ length }) => length > from); from += 3) {
    for (const [nodeId, events] of nodes) {
      const some = events.slice(from, from + 3);
      if (some.length > 0) await publisher.append({ nodeId, events: some });
    }
  }
};
const nodesOf = (count: number, events: number) =>
  new Map(Array.from({ length: count }, (_, n) => [anId(n), eventsOf(anId(n), events)] as const));
/** A stream of a test's own, and a group, with so many nodes and events of each. */
const published = async (count: number, events: number) => {
  const own = names();
  const nodes = nodesOf(count, events);
  await publish(own.stream, nodes);
  return { own, nodes };
};
const idsOf = (nodes: ReadonlyMap<string, ReadonlyArray<OutboxEvent>>) =>
  new Map([...nodes].map(([nodeId, events]) => [nodeId, events.map(({ sequenceId }) => sequenceId)]));

/** The ids in the trail, by node, in the order in which they were handled. */
const handled = async ({
  stream,
  group,
}: ReturnType<typeof names>): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const trail = new Map<string, string[]>();
  for (const line of await redis.lRange(`${stream}:${group}:trail`, 0, -1)) {
    const { aggregateId, sequenceId } = JSON.parse(line);
    trail.set(aggregateId, [...(trail.get(aggregateId) ?? []), sequenceId]);
  }
  return trail;
};
const entriesOf = async (stream: string) => (await redis.xRange(stream, '-', '+')) ?? [];
const pending = async (stream: string, group: string) => (await redis.xPending(stream, group)).pending;
const soon = { timeout: 60_000, interval: 50 };

const consumer = (own: ReturnType<typeof names>, more: Partial<ConsumerOptions> = {}): ConsumerOptions => ({
  redis: { url },
  ...own,
  claimAfterMs: CLAIM_AFTER_MS,
  handle: (event) => ({ trail: JSON.stringify(event) }),
  signal: new AbortController().signal,
  ...more,
});

/** A consumer that runs; `stop` ends it. */
const consuming = (own: ReturnType<typeof names>, more: Partial<ConsumerOptions> = {}) => {
  const stopping = new AbortController();
  const running = consumeEvents(consumer(own, { ...more, signal: stopping.signal }));
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};

/** Waits until the group has handled all that there is. */
const done = ({ stream, group }: ReturnType<typeof names>): Promise<void> =>
  vi.waitFor(
    async () => expect(await redis.xInfoGroups(stream)).toMatchObject([{ name: group, lag: 0, pending: 0 }]),
    soon,
  );

/** Consumes until nothing is left, and ends the consumer. */
const consumed = async (own: ReturnType<typeof names>, more: Partial<ConsumerOptions> = {}): Promise<void> => {
  const { stop } = consuming(own, more);
  await done(own);
  await stop();
};

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

test('an event that fails three times is set aside, the next of its node waits until then; so is what is no event', async () => {
  const { own, nodes } = await published(2, 4);
  await redis.xAdd(own.stream, '*', { type: 'Other', data: '{}' });
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
  expect(aside).toContainEqual(expect.objectContaining({ reason: 'it failed', sequenceId: poison }));
  expect(aside).toContainEqual(expect.objectContaining({ reason: 'type "Other" is not known', type: 'Other' }));
});

test.each([
  [8, 0],
  [9, 1],
])('an event in whose handling %i consumers fell silent: %i is set aside', async (silent, aside) => {
  const { own, nodes } = await published(1, 2);
  const [first, second] = idsOf(nodes).get(anId(0))!;
  let release: () => void = () => undefined;
  const released = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  const running: ReturnType<typeof consuming>[] = [];
  const start = (more: Partial<ConsumerOptions> = {}): void =>
    void running.push(consuming(own, { claimAfterMs: 100, ...more }));
  const tries = async () => Number((await redis.hVals(`${own.stream}:${own.group}:attempts`))[0] ?? 0);
  for (let begun = 1; begun <= silent; begun += 1) {
    start({ handle: () => released });
    await vi.waitFor(async () => expect(await tries()).toBe(begun), soon);
  }
  start();
  const expected = aside === 0 ? [first, second] : [second];
  await vi.waitFor(async () => expect((await handled(own)).get(anId(0))).toEqual(expected), soon);
  expect(await redis.xLen(`${own.stream}:${own.group}:aside`)).toBe(aside);
  release();
  await Promise.all(running.map(({ stop }) => stop()));
  expect((await handled(own)).get(anId(0))).toEqual(expected);
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
  await redis.xAdd(own.stream, '*', { type: 'Other', data: '{}' });
  await consumed(own);
  expect(await redis.xLen(aside)).toBeLessThan(10_200);
  const [newest] = (await redis.xRevRange(aside, '+', '-', { COUNT: 1 })) ?? [];
  expect(newest?.message).toMatchObject({ type: 'Other' });
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
  await redis.xGroupCreate(own.stream, own.group, '0');
  await redis.xReadGroup(own.group, 'other', { key: own.stream, id: '>' }, { COUNT: 1 });
  const registry = new Registry();
  const { stop } = consuming(own, { claimAfterMs: 600_000, registry });
  await vi.waitFor(async () => expect(await pending(own.stream, own.group)).toBe(count), soon);
  const [first, second] = await entriesOf(own.stream);
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
