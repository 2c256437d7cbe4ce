import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPublisher, type NodeEvents } from '../../../stream/append';
import { eventIdAfter } from '../../../workflows/domain/node/event-id';
import { eventSettings } from '../../support/redis/event-settings';

const batch: NodeEvents = {
  nodeId: 'n',
  events: ['01', '02'].map((sequenceId) => ({
    type: 'PointAlarmStatusEvent',
    sequenceId,
    timestamp: 7,
    userId: 'u',
    data: { alarmStatus: 4 },
  })),
};

/** A publisher on a Redis whose script answers `answer`, and WAIT the numbers of `replicas` in turn. */
const onRedis = (answer: unknown, replicasRequired = 0, replicas: number[] = []) => {
  const waits: (readonly [replicas: number, timeoutMs: number])[] = [];
  const client = {
    eval: () => Promise.reject(new Error('not asked')),
    evalSha: () => Promise.resolve(answer),
    wait: async (...asked: [number, number]) => {
      waits.push(asked);
      await setImmediate();
      return replicas.shift() ?? 0;
    },
  };
  return { ...createPublisher({ client }, eventSettings({ replicasRequired })), waits };
};

test.each<[name: string, answer: [string, number]]>([
  ['the last event of the batch', ['02', 2]],
  ['that event, which was there already', ['02', 0]],
  ['a newer one that another publisher appended', ['03', 0]],
])('the batch is in the stream when the newest event there is %s', async (_name, [newest, added]) => {
  const { append, waits } = onRedis([newest, added]);
  expect(await append(batch)).toEqual({ newest, added, isPublished: true });
  expect(waits).toEqual([]);
});

/** The first events that a node ever made. */
const firstBatch: NodeEvents = (() => {
  const first = eventIdAfter('n', '', 7);
  const ids = [first, eventIdAfter('n', first, 7)];
  return { nodeId: 'n', events: batch.events.map((event, at) => ({ ...event, sequenceId: ids[at] ?? '' })) };
})();
const [first = '', last = ''] = firstBatch.events.map(({ sequenceId }) => sequenceId);

test.each<[name: string, newest: string, isPublished: boolean]>([
  ['is out when its last event is the newest', last, true],
  ['is not known to be out when a newer one is there', `${last.slice(0, -1)}Z`, false],
  ['is not out when one is there that lies between its own', `${first}0`, false],
])('a batch of the first events that a node ever made %s', async (_name, newest, isPublished) => {
  expect(await onRedis([newest, 0]).append(firstBatch)).toEqual({ newest, added: 0, isPublished });
});

test.each<[name: string, answer: unknown, reason: RegExp]>([
  ['has an older event as the newest', ['01', 1], /did not take 02: the newest event of its node is 01/u],
  ['has an event of the batch before the last as the newest', ['019', 1], /did not take 02/u],
  ['has no event of the node', ['', 0], /did not take 02/u],
  ['answers with something else', '02', /answered "02"/u],
  ['answers with nothing', null, /answered null/u],
])('the publication fails when the stream %s', async (_name, answer, reason) => {
  await expect(onRedis(answer).append(batch)).rejects.toThrow(reason);
});

test('a batch is published once as many replicas as required have it', async () => {
  const { append, waits } = onRedis(['02', 2], 2, [1, 1, 2]);
  expect(await append(batch)).toEqual({ newest: '02', added: 2, isPublished: true });
  expect(waits).toEqual([2, 2, 2].map((replicas) => [replicas, 50]));
});

test('a batch that too few replicas have is a failure, also when a retry finds it in the stream', async () => {
  const { append } = onRedis(['02', 0], 1);
  await expect(append(batch)).rejects.toThrow('0 of 1 replicas have the events');
  await expect(append(batch)).rejects.toThrow('0 of 1 replicas have the events');
});

test('appends that end while replicas are waited for share the next wait', async () => {
  const { append, waits } = onRedis(['02', 2], 1, [1, 1, 1]);
  const first = append(batch);
  await setImmediate();
  expect(waits).toHaveLength(1);
  await Promise.all([first, append(batch), append(batch)]);
  expect(waits).toHaveLength(2);
});
