import { expect, test } from 'vitest';
import { createPublisher, type Batch, type ScriptRunner } from '../../../stream/append';

const batchTo = (...ids: ReadonlyArray<string>): Batch => ({
  nodeId: 'n',
  events: ids.map((sequenceId) => ({
    type: 'PointAlarmStatusEvent',
    sequenceId,
    timestamp: 7,
    userId: 'u',
    data: { alarmStatus: 4 },
  })),
});

/** A publisher on a Redis that answers `answers`, one a call, and what it was asked for. */
const onRedis = (...answers: ReadonlyArray<unknown>) => onReplicated(0, [], ...answers);

/** The same with replicas: WAIT answers `replicas` in turn. */
const onReplicated = (replicasRequired: number, replicas: number[], ...answers: ReadonlyArray<unknown>) => {
  const calls: (readonly [command: string, script: string, ...args: string[]])[] = [];
  const answerTo = (command: string) => async (script: string, options: { readonly arguments: string[] }) => {
    calls.push([command, script, ...options.arguments]);
    const answer = answers[calls.length - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const waits: (readonly [replicas: number, timeoutMs: number])[] = [];
  const wait = async (...asked: [number, number]) => {
    waits.push(asked);
    return replicas.shift() ?? 0;
  };
  const redis: ScriptRunner = { eval: answerTo('eval'), evalSha: answerTo('evalSha'), wait };
  return {
    ...createPublisher(
      { client: redis },
      {
        stream: 's',
        maxLength: 9,
        attributePrefix: 'P',
        bandThresholdName: 'overallAlarmThreshold',
        replicasRequired,
      },
    ),
    calls,
    waits,
  };
};

test('the events go to one script, with their node, the length and the fields of their entries', async () => {
  const { append, calls } = onRedis(['02', 2]);
  await append(batchTo('01', '02'));
  const names = 'P.EventType P.Aggregate aggregateId sequenceId timestamp type data userId'.split(' ');
  const type = 'PointAlarmStatusEvent';
  const fields = (id: string) => [type, 'n', 'n', id, '7', type, '{"alarmStatus":4}', 'u'];
  expect(calls).toEqual([['evalSha', expect.any(String), 'n', '9', '8', ...names, ...fields('01'), ...fields('02')]]);
});

test('a Redis that does not know the script gets it', async () => {
  const { append, calls } = onRedis(new Error('NOSCRIPT No matching script'), ['01', 1]);
  expect(await append(batchTo('01'))).toEqual({ newest: '01', added: 1 });
  expect(calls.map(([command]) => command)).toEqual(['evalSha', 'eval']);
});

test.each<[name: string, answer: unknown]>([
  ['the last event of the batch', ['02', 2]],
  ['that event, which was there already', ['02', 0]],
  ['a newer one that another publisher appended', ['03', 0]],
])('the batch is in the stream when the newest event there is %s', async (_name, answer) => {
  const [newest, added] = answer as [string, number];
  expect(await onRedis(answer).append(batchTo('01', '02'))).toEqual({ newest, added });
});

test.each<[name: string, answer: unknown, reason: RegExp]>([
  ['has an older event as the newest', ['01', 1], /did not take 02: the newest event of its node is 01/u],
  ['has an event of the batch before the last as the newest', ['019', 1], /did not take 02/u],
  ['has no event of the node', ['', 0], /did not take 02/u],
  ['answers with something else', '02', /answered "02"/u],
  ['answers with nothing', null, /answered null/u],
])('the publication fails when the stream %s', async (_name, answer, reason) => {
  await expect(onRedis(answer).append(batchTo('01', '02'))).rejects.toThrow(reason);
});

test('an error of Redis is passed on, and the script is not sent again', async () => {
  const { append, calls } = onRedis(new Error('WRONGTYPE Operation against a key'));
  await expect(append(batchTo('01'))).rejects.toThrow('WRONGTYPE');
  expect(calls).toHaveLength(1);
});

test('without replicas required none are waited for', async () => {
  const { append, waits } = onRedis(['01', 1]);
  await append(batchTo('01'));
  expect(waits).toEqual([]);
});

test('a batch is published once as many replicas as required have it', async () => {
  const { append, waits } = onReplicated(2, [1, 1, 2], ['01', 1]);
  expect(await append(batchTo('01'))).toEqual({ newest: '01', added: 1 });
  expect(waits).toEqual([2, 2, 2].map((replicas) => [replicas, 50]));
});

test('a batch that too few replicas have is a failure, also when a retry finds it in the stream', async () => {
  const { append } = onReplicated(1, [], ['01', 1], ['01', 0]);
  await expect(append(batchTo('01'))).rejects.toThrow('0 of 1 replicas have the events');
  await expect(append(batchTo('01'))).rejects.toThrow('0 of 1 replicas have the events');
});

test('appends that end while replicas are waited for share the next wait', async () => {
  const { append, waits } = onReplicated(1, [1, 1, 1], ['01', 1], ['01', 1], ['01', 1]);
  await Promise.all([append(batchTo('01')), append(batchTo('01')), append(batchTo('01'))]);
  expect(waits).toHaveLength(2);
});
