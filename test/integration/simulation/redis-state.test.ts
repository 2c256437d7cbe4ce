import { fc } from '@fast-check/vitest';
import { createClient } from 'redis';
import { expect, test } from 'vitest';
import { createPublisher } from '../../../stream/append';
import { eventIdAfter } from '../../../workflows/domain/node/event-id';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { eventSettings } from '../../support/redis/event-settings';
import { modelledClient, type ModelledClient } from '../../support/redis/modelled-client';
import { redisGround } from '../../support/redis/servers';
import { sharedRedis } from '../../support/redis/shared-redis';
import { emptyRedis, execute, RedisError, type RedisCommand } from '../../simulation/models/redis-state';

const redis = sharedRedis();

/** What a test does to both: through the code of the service, with the commands that it makes. */
type Step =
  | { readonly type: 'append'; readonly node: number; readonly ids: ReadonlyArray<number> }
  | { readonly type: 'intent'; readonly score: number; readonly value: number; readonly ifThere: boolean }
  | { readonly type: 'forget'; readonly values: ReadonlyArray<number> }
  | { readonly type: 'old'; readonly until: number }
  | { readonly type: 'read'; readonly from: number }
  | { readonly type: 'state' }
  | { readonly type: 'alive'; readonly value: number };

const small = fc.integer({ min: 0, max: 4 });
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('append' as const),
      node: small,
      ids: fc.array(small, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ type: fc.constant('intent' as const), score: small, value: small, ifThere: fc.boolean() }),
    fc.record({ type: fc.constant('forget' as const), values: fc.array(small, { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant('old' as const), until: small }),
    fc.record({ type: fc.constant('read' as const), from: small }),
    fc.constant({ type: 'state' as const }),
    fc.record({ type: fc.constant('alive' as const), value: small }),
  ),
  { maxLength: 25 },
);

const TIMESTAMP = 7;

/** Event 1 is the first that its node ever made, event 0 stands before it, the others behind. */
const eventOf = (nodeId: string, id: number): OutboxEvent => {
  const after = (previous: string, count: number): string =>
    count === 0 ? previous : after(eventIdAfter(nodeId, previous, TIMESTAMP), count - 1);
  const sequenceId = id === 0 ? '0'.repeat(26) : after('', id);
  return { type: 'PointAlarmStatusEvent', sequenceId, timestamp: TIMESTAMP, userId: 'u', data: { id } };
};

/** Carries a step out, and says what came of it; ids of entries are told by their place, since they hold the time. */
const carriedOut = async (client: ModelledClient, stream: string, step: Step, entries: string[]): Promise<unknown> => {
  switch (step.type) {
    case 'append':
      return createPublisher({ client }, eventSettings({ stream }))
        .append({ nodeId: `node${step.node}`, events: step.ids.map((id) => eventOf(`node${step.node}`, id)) })
        .catch((error: unknown) => `${(error as Error).constructor.name} ${(error as Error).message}`);
    case 'intent':
      return client.zAdd(
        `${stream}:intents`,
        { score: step.score, value: `v${step.value}` },
        step.ifThere ? { condition: 'XX' } : undefined,
      );
    case 'forget':
      return client.zRem(
        `${stream}:intents`,
        step.values.map((value) => `v${value}`),
      );
    case 'old':
      return client.zRangeWithScores(`${stream}:intents`, 0, step.until, {
        BY: 'SCORE',
        LIMIT: { offset: 0, count: 3 },
      } as never);
    case 'read': {
      const id = entries[step.from] ?? '0-0';
      const read = (await client.xRead({ key: stream, id }, { COUNT: 3 })) as ReadonlyArray<{
        readonly messages: ReadonlyArray<{ readonly id: string; readonly message: object }>;
      }> | null;
      const messages = read?.[0]?.messages ?? [];
      for (const message of messages) if (!entries.includes(message.id)) entries.push(message.id);
      return messages.map(({ id: of, message }) => [entries.indexOf(of), { ...message }]);
    }
    case 'state':
      return client.xInfoStream(stream).then(
        (state) => (state as Record<string, unknown>)['entries-added'],
        (error: unknown) => (error as Error).message,
      );
    case 'alive':
      await client.set(`${stream}:alive:${step.value}`, '1', { EX: 60 });
      return Math.ceil((await client.pTTL(`${stream}:alive:${(step.value + 1) % 5}`)) / 60_000); // no finer: time goes by
  }
};

test('the modelled Redis answers as a real one', async () => {
  let streams = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      streams += 1;
      const stream = `model-${process.pid}-${streams}`;
      const model = modelledClient(emptyRedis());
      const [ofModel, ofRedis]: [string[], string[]] = [[], []];
      for (const step of all) {
        const real = await carriedOut(redis as unknown as ModelledClient, stream, step, ofRedis);
        expect(await carriedOut(model, stream, step, ofModel)).toEqual(real);
      }
    }),
    { numRuns: 150 },
  );
});

test('a full Redis refuses the same commands as the modelled one', async () => {
  const stream = `model-${process.pid}-full`;
  const model = (command: RedisCommand): unknown => {
    try {
      return execute(emptyRedis(), command, Date.now(), true);
    } catch (error) {
      return error instanceof RedisError ? error.message : error;
    }
  };
  const ground = await redisGround();
  const own = createClient({ url: (await ground.server()).url });
  await own.connect();
  await own.configSet('maxmemory', '1');
  try {
    const refused = async (real: Promise<unknown>): Promise<boolean> =>
      real.then(
        () => false,
        (error: unknown) => (error as Error).message.startsWith('OOM'),
      );
    const isOom = (command: RedisCommand): boolean => String(model(command)).startsWith('OOM');
    const publisher = createPublisher({ client: own }, eventSettings({ stream }));
    expect(await refused(publisher.append({ nodeId: 'n', events: [eventOf('n', 1)] }))).toBe(
      isOom({ name: 'append', keys: [stream, 'p'], given: [] }),
    );
    expect(await refused(own.zAdd(stream, { score: 1, value: 'a' }))).toBe(
      isOom({ name: 'zAdd', key: stream, score: 1, value: 'a' }),
    );
    expect(await refused(own.zRem(stream, ['a']))).toBe(isOom({ name: 'zRem', key: stream, values: ['a'] }));
    expect(await refused(own.set(stream, '1', { EX: 6 }))).toBe(
      isOom({ name: 'set', key: stream, value: '1', seconds: 6 }),
    );
    expect(await refused(own.pTTL(stream))).toBe(isOom({ name: 'pTTL', key: stream }));
  } finally {
    own.destroy();
    await ground.stop();
  }
});
