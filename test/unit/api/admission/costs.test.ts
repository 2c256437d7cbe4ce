import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { median } from '../../../../api/admission/concurrency-limit';
import { createQueues } from '../../../../api/admission/queues';
import { createWaitingList } from '../../../../api/admission/waiting-list';

/** Few users or calls, and so many times as many. */
const FEW = 500;
const TIMES = 8;
/**
 * The greatest ratio of the costs of a call among many and among few, of those times: it is all of them where a step looks at all
 * that wait. What is left is for memory, which costs more the more there is.
 */
const MOST = 0.5;
const ROUNDS = 5;

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);

/** Processor time (µs) of `work`. */
const cost = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

/** Queues of which everything waits until they are opened. */
const closedQueues = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const queues = createQueues<number, never, number>({
    deadlineMs: 60_000,
    mostWaiting: Infinity,
    mostTogether: Infinity,
    kinds: ['update'],
    kindOf: () => 'update',
    send: async (_, { calls }) => {
      await opened;
      return { answers: calls.map(E.right), isAnswered: true, showsLoad: false };
    },
  });
  return { ...queues, open };
};

/** Costs of the calls from their arrival to their answer, each of a user and to a node. */
const submitted = (count: number, userOf: (call: number) => string, nodeOf: (call: number) => string) => () => {
  const { submit, open } = closedQueues();
  const answers = upTo(count).map((call) => submit(nodeOf(call), call, { userId: userOf(call) }));
  open();
  return Promise.all(answers);
};

/** The list of `count` users with a unit each, and of one user with as many. */
const listOf = (count: number) => {
  const list = createWaitingList<number>();
  for (const number of upTo(count)) list.add(`u${number}`, number);
  for (const number of upTo(count)) list.add('u', count + number);
  return list;
};

/** Steps of a list of so many units, as often as there are units. */
const steps: ReadonlyArray<readonly [name: string, work: (count: number) => () => void]> = [
  [
    'a turn',
    (count) => () => {
      const list = listOf(count);
      while (list.next() !== undefined);
    },
  ],
  [
    'the number of turns of one more',
    (count) => () => {
      const list = listOf(count);
      for (const number of upTo(count)) list.turnsUntil(`u${number}`);
      for (const _ of upTo(count)) list.turnsUntil('u');
    },
  ],
  [
    'the newest of the user who has most, which leaves',
    (count) => () => {
      const list = listOf(count);
      for (let newest = list.newestOfBusiestUser(); newest !== undefined; newest = list.newestOfBusiestUser())
        list.remove(...newest);
    },
  ],
];

/** The middle one of the ratios of what a call, or a step, costs among many and among few. */
const ratioOf = async (work: (count: number) => () => unknown, times = TIMES): Promise<number> => {
  await cost(work(times * FEW)); // warms the code
  const ratios: number[] = [];
  while (ratios.length < ROUNDS) {
    const few = await cost(async () => {
      for (let done = 0; done < times; done += 1) await work(FEW)();
    });
    ratios.push((await cost(work(times * FEW))) / few);
  }
  return median(ratios);
};

test.each<[string, (count: number) => () => unknown]>([
  [
    'of a user each',
    (count) =>
      submitted(
        count,
        (call) => `u${call}`,
        (call) => `n${call}`,
      ),
  ],
  [
    'of one user',
    (count) =>
      submitted(
        count,
        () => 'u',
        (call) => `n${call}`,
      ),
  ],
  [
    'of a user each, to one node',
    (count) =>
      submitted(
        count,
        (call) => `u${call}`,
        () => 'n',
      ),
  ],
])(
  'a call costs no more the more of them wait: calls %s',
  async (_, calls) => expect(await ratioOf(calls)).toBeLessThan(MOST * TIMES),
  60_000, // it counts processor time, which takes longer on a busy machine
);

test.each(steps)('a list takes as long for %s, however many users and units wait', async (_, work) => {
  expect(await ratioOf(work, 2 * TIMES)).toBeLessThan(MOST * 2 * TIMES);
});

test('a list is asked nothing about users who wait behind one whose turn it is', () => {
  const list = createWaitingList<number>();
  for (const number of upTo(TIMES * FEW)) list.add(`u${number % FEW}`, number);
  let asked = 0;
  const may = (): boolean => {
    asked += 1;
    return true;
  };
  for (const _ of upTo(TIMES * FEW)) list.next(may);
  expect(asked).toBe(TIMES * FEW);
});
