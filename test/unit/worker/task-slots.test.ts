import type { SlotPermit } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { taskSlots } from '../../../worker/task-slots';

const MOST = 8;

/** A supplier with a clock of its own, and the worker's calls of it. `isWanted`: polls of the sticky queue wait for slots. */
const supplier = (most = MOST, isWanted = true) => {
  let now = 0;
  const slots = taskSlots(most, () => now);
  const queue = { slotType: 'workflow', taskQueue: 'q', workerIdentity: 'w', workerBuildId: '' } as const;
  const infoOf = (isReplay: boolean) =>
    ({ type: 'workflow', workflowType: 'pointAlarm', isSticky: !isReplay }) as const;
  const given: SlotPermit[] = [];
  const ask = (isSticky = false, signal = new AbortController().signal) =>
    slots.reserveSlot({ ...queue, isSticky }, signal).then((permit) => void given.push(permit));
  if (isWanted) for (let polls = 0; polls < 100; polls += 1) void ask(true);
  const give = (isSticky = false) => slots.tryReserveSlot({ ...queue, isSticky });
  const begin = (permit: SlotPermit): void => slots.markSlotUsed({ slotInfo: infoOf(true), permit });
  const end = (permit: SlotPermit, isReplay = true): void => slots.releaseSlot({ slotInfo: infoOf(isReplay), permit });
  /** As many tasks as it has now, all begun. */
  const fill = (): ReadonlyArray<SlotPermit> => {
    const permits: SlotPermit[] = [];
    for (let permit = give(); permit !== null; permit = give()) {
      begin(permit);
      permits.push(permit);
    }
    return permits;
  };
  return {
    ...{ ask, given, give, begin, end, fill },
    later: (ms: number) => void (now += ms),
    /** Tasks at once after rounds of as many tasks as it allows, of `ms` each. */
    after: (rounds: number, ms: number, isReplay = true): number => {
      for (let round = 0; round < rounds; round += 1) {
        const permits = fill();
        now += ms;
        permits.forEach((permit) => end(permit, isReplay));
      }
      const permits = fill();
      permits.forEach((permit) => end(permit, isReplay));
      return permits.length;
    },
  };
};

describe('the workflow tasks that a worker has at once', () => {
  test.each([
    ['are four at first', 0, 0, 4],
    ['are one more after about as many quick ones', 2, 1_000, 5],
    ['rise to the most that is set', 20, 50, MOST],
    ['are half as many after slow ones', 1, 1_001, 2],
    ['are never fewer than two', 5, 6_000, 2],
  ])('%s', (_name, rounds, ms, expected) => {
    expect(supplier().after(rounds, ms)).toBe(expected);
  });

  test('are halved once by slow ones that began together', () => {
    const { after, fill, later, end } = supplier();
    expect(after(20, 50)).toBe(8);
    const together = fill();
    later(2_000);
    for (const task of together) {
      later(100);
      end(task);
    }
    expect(fill()).toHaveLength(4);
  });

  test('are not halved by tasks that are no replays: then the server is slow', () => {
    const { after } = supplier();
    expect(after(20, 50)).toBe(MOST);
    expect(after(20, 4_000, false)).toBe(MOST);
  });

  test('do not become more while no poll waits for a slot', () => {
    const { give, begin, end, fill } = supplier(MOST, false);
    for (let task = 0; task < 100; task += 1) {
      const permit = give()!;
      begin(permit);
      end(permit);
    }
    expect(fill()).toHaveLength(4);
  });

  test('are not more than are set, also where that is fewer than four', () => {
    expect(supplier(2).after(10, 50)).toBe(2);
  });
});

test('polls of one queue do not keep the worker from the other', () => {
  const { give } = supplier(MOST, false);
  while (give(true) !== null);
  expect(give(false)).not.toBeNull();
});

test('who asks waits until a task or a poll has ended', async () => {
  const { ask, given, fill, end, give } = supplier(MOST, false);
  const tasks = fill();
  const asked = [ask(), ask(true)];
  await Promise.resolve();
  expect(given).toHaveLength(0);
  end(tasks[0]!);
  await Promise.all(asked);
  expect(given).toHaveLength(2);
  tasks.slice(1).forEach((task) => end(task));
  while (give(false) !== null);
  const another = ask();
  end(given[0]!); // a poll that brought no task
  await another;
  expect(given).toHaveLength(3);
});

test('who asks no more waits no more, whether that was known before or comes later', async () => {
  const { ask, given, fill, end } = supplier(MOST, false);
  const tasks = fill();
  const over = new AbortController();
  const asked = ask(false, over.signal);
  over.abort('shut down');
  // The SDK logs an error unless the reason is that of the signal.
  await expect(asked).rejects.toBe('shut down');
  await expect(ask(false, over.signal)).rejects.toBe('shut down');
  tasks.forEach((task) => end(task));
  expect(given).toHaveLength(0);
  expect(fill()).toHaveLength(4);
});
