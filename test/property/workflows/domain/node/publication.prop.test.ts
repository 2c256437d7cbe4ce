import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { createPublisher, publishedKey, type NodeEvents } from '../../../../../stream/append';
import { afterPublication } from '../../../../../workflows/domain/node/publication';
import { newNode } from '../../../../../workflows/domain/node/state';
import { nextUlid } from '../../../../../workflows/domain/ulid';
import { emptyRedis } from '../../../../simulation/models/redis-state';
import { setExternalAlarm } from '../../../../support/commands';
import { eventSettings } from '../../../../support/redis/event-settings';
import { modelledClient } from '../../../../support/redis/modelled-client';
import { nodeId, sendGroup, START } from '../../../../support/scenario';

type Step =
  /** A command that an API relays, so many ms after the one before; clocks are set back as well. */
  | { readonly type: 'command'; readonly later: number; readonly confirms: boolean }
  /** A batch that an API was given reaches the stream now, whether or not it did before. */
  | { readonly type: 'relayed'; readonly which: number }
  /** The node takes what waits to a publication of its own; one whose answer is lost is made again. */
  | { readonly type: 'begins' }
  | { readonly type: 'appends' }
  | { readonly type: 'ends' };

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('command' as const),
      later: fc.integer({ min: -5_000, max: 5_000 }),
      confirms: fc.boolean(),
    }),
    fc.record({ type: fc.constant('relayed' as const), which: fc.nat(20) }),
    ...(['begins', 'appends', 'ends'] as const).map((type) => fc.constant({ type })),
  ),
  { maxLength: 40 },
);

const STREAM = 'events';

test.prop([steps, fc.integer({ min: -10_000, max: 10_000 }), fc.boolean()], { numRuns: 1_000 })(
  'each event of a node that was set up anew is in the stream once, and ids rise, whoever publishes, how often, and what an earlier life left',
  async (story, ahead, hasEarlierLife) => {
    const redis = emptyRedis();
    const foreign = nextUlid('', START + ahead, [0.5, 0.5]);
    if (hasEarlierLife) redis.hashes.set(publishedKey(STREAM), new Map([[nodeId, foreign]]));
    const publisher = createPublisher({ client: modelledClient(redis) }, eventSettings({ stream: STREAM }));
    let node = newNode(nodeId);
    let now = START;
    let commands = 0;
    // An API may know the earlier life.
    let published = hasEarlierLife ? foreign : undefined;
    const relayed: NodeEvents[] = [];
    let own: { readonly batch: NodeEvents; newest?: string } | undefined;
    const step = async (one: Step): Promise<void> => {
      switch (one.type) {
        case 'command': {
          now += one.later;
          commands += 1;
          const [name, payload] = setExternalAlarm({ status: 3 }, { userId: `user ${commands}` });
          const confirming = one.confirms && published !== undefined ? { published } : {};
          const applied = sendGroup(node, { commands: [{ name, ...payload }], relay: 'api', ...confirming }, now);
          node = applied.node;
          if (applied.answer.unconfirmed !== undefined) relayed.push({ nodeId, events: applied.answer.unconfirmed });
          return;
        }
        case 'relayed': {
          const batch = relayed[one.which % Math.max(1, relayed.length)];
          if (batch === undefined) return;
          const { newest, isPublished } = await publisher.append(batch);
          if (isPublished) published = newest;
          return;
        }
        case 'begins':
          if (node.outbox.waiting.length > 0) own ??= { batch: { nodeId, events: node.outbox.waiting } };
          return;
        case 'appends':
          if (own !== undefined) own.newest = (await publisher.append(own.batch)).newest;
          return;
        case 'ends':
          if (own?.newest === undefined) return;
          node = afterPublication(node, own.newest);
          own = undefined;
      }
    };
    for (const one of story) await step(one);
    for (let tries = 0; tries < 4; tries += 1)
      for (const type of ['begins', 'appends', 'ends'] as const) await step({ type });

    expect(node.outbox.waiting).toEqual([]);
    const entries = (redis.streams.get(STREAM)?.entries ?? []).map(({ message }) => message);
    expect(entries.map((entry) => entry['userId'])).toEqual(
      Array.from({ length: commands }, (_, index) => `user ${index + 1}`),
    );
    const ids = [...(hasEarlierLife ? [foreign] : []), ...entries.map((entry) => entry['sequenceId'] ?? '')];
    expect(ids).toEqual([...new Set(ids)].sort());
  },
);
