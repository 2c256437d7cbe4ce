import type { SlotPermit } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { taskSlots } from '../../../worker/task-slots';

const MOST = 8;

/** A supplier with a clock of its own, and the worker's calls of it. */
const supplier = (most = MOST) => {
  let now = 0;
  const slots = taskSlots(most, () => now);
  const queue = { slotType: 'workflow', taskQueue: 'q', workerIdentity: 'w', workerBuildId: '' } as const;
  const slotInfo = { type: 'workflow', workflowType: 'pointAlarm', isSticky: false } as const;
  const given: SlotPermit[] = [];
  const ask = (isSticky = false, signal = new AbortController().signal) =>
    slots.reserveSlot({ ...queue, isSticky }, signal).then((permit) => void given.push(permit));
  /** As many tasks as it has now, all begun. */
  const fill = (): ReadonlyArray<SlotPermit> => {
    const permits: SlotPermit[] = [];
    for (;;) {
      const permit = slots.tryReserveSlot({ ...queue, isSticky: false });
      if (permit === null) return permits;
      slots.markSlotUsed({ slotInfo, permit });
      permits.push(permit);
    }
  };
  const end = (permit: SlotPermit): void => slots.releaseSlot({ slotInfo, permit });
  return {
    ask,
    given,
    fill,
    end,
    begin: (permit: SlotPermit) => slots.markSlotUsed({ slotInfo, permit }),
    give: (isSticky: boolean) => slots.tryReserveSlot({ ...queue, isSticky }),
    later: (ms: number) => void (now += ms),
    /** Tasks at once after rounds of so many tasks as it has, of `ms` each. */
    after: (rounds: number, ms: number): number => {
      for (let round = 0; round < rounds; round += 1) {
        const permits = fill();
        now += ms;
        permits.forEach(end);
      }
      const permits = fill();
      permits.forEach(end);
      return permits.length;
    },
  };
};

describe('the workflow tasks that a worker has at once', () => {
  test.each([
    ['are four at first', 0, 0, 4],
    ['are one more after as many quick ones', 1, 1_000, 5],
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

  test('do not become more while fewer are needed', () => {
    const { give, begin, end, fill } = supplier();
    for (let task = 0; task < 100; task += 1) {
      const permit = give(false)!;
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
  const { give } = supplier();
  while (give(true) !== null);
  expect(give(false)).not.toBeNull();
});

test('who asks waits until a task or a poll has ended', async () => {
  const { ask, given, fill, end, give } = supplier();
  const tasks = fill();
  const asked = [ask(), ask(true)];
  await Promise.resolve();
  expect(given).toHaveLength(0);
  end(tasks[0]!);
  await Promise.all(asked);
  expect(given).toHaveLength(2);
  tasks.slice(1).forEach(end);
  while (give(false) !== null);
  const another = ask();
  end(given[0]!); // a poll that brought no task
  await another;
  expect(given).toHaveLength(3);
});

test('who asks no more waits no more', async () => {
  const { ask, given, fill, end } = supplier();
  const tasks = fill();
  const over = new AbortController();
  const asked = ask(false, over.signal);
  over.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  tasks.forEach(end);
  expect(given).toHaveLength(0);
});
