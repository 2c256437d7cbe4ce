import type { CustomSlotSupplier, SlotPermit, WorkflowSlotInfo } from '@temporalio/worker';

/** Workflow tasks at once when a worker starts. With a fifth of a core it replays so many full nodes within the time-out. */
const FIRST = 4;
const LEAST = 2;
/** A replay that takes longer (ms) halves the limit. The server gives a task up after 5 s, which wastes its replay. */
const SLOW_MS = 1_000;

interface Waiting {
  readonly isSticky: boolean;
  readonly grant: (permit: SlotPermit) => void;
}

/**
 * Limits how many workflow tasks a worker has at once, to `most` and to so many that each replay ends before its time-out. The
 * nodes that a worker replays take turns on one thread. With too many at once none would end in time, and all would begin anew,
 * for ever. As in TCP, a slow replay halves the limit, and as many quick tasks as the limit allows raise it by one.
 */
export const taskSlots = (most: number, now = () => performance.now()): CustomSlotSupplier<WorkflowSlotInfo> => {
  let limit = Math.min(FIRST, most);
  let halvedAt = -Infinity;
  /** The tasks in progress, and when each began. The server may answer a task with the node's next one: both count as one. */
  const tasks = new Map<SlotPermit, number>();
  // A poll takes a slot, too. The polls of the worker's own (sticky) queue and of the shared one are counted apart, because a
  // poll can last for a minute: those of one queue would keep the worker from the other.
  const polls = { sticky: new Set<SlotPermit>(), shared: new Set<SlotPermit>() };
  let waiting: ReadonlyArray<Waiting> = [];

  const acquire = (isSticky: boolean): SlotPermit | null => {
    const alike = isSticky ? polls.sticky : polls.shared;
    if (tasks.size + alike.size >= Math.floor(limit)) return null;
    const permit: SlotPermit = {};
    alike.add(permit);
    return permit;
  };
  const grantWaiting = (): void => {
    waiting = waiting.filter(({ isSticky, grant }) => {
      const permit = acquire(isSticky);
      if (permit !== null) grant(permit);
      return permit === null;
    });
  };
  const endPoll = (permit: SlotPermit): void => {
    polls.sticky.delete(permit);
    polls.shared.delete(permit);
  };
  /** Only replays lower the limit. Other tasks are slow if the server or its database is slow; fewer tasks would not help. */
  const adjustLimit = (beganAt: number, isReplay: boolean): void => {
    const isSlow = now() - beganAt > SLOW_MS;
    if (!isSlow && waiting.length > 0) limit = Math.min(most, limit + 1 / limit);
    if (!isSlow || !isReplay || beganAt < halvedAt) return; // a task that began before says nothing of the new limit
    limit = Math.max(LEAST, limit / 2);
    halvedAt = now();
  };
  return {
    type: 'custom',
    reserveSlot: ({ isSticky }, signal) =>
      new Promise((grant, reject) => {
        const one = { isSticky, grant };
        const abandon = (): void => {
          waiting = waiting.filter((other) => other !== one);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the SDK logs every other reason as a fault
          reject(signal.reason);
        };
        if (signal.aborted) return void abandon();
        signal.addEventListener('abort', abandon);
        waiting = [...waiting, one];
        grantWaiting();
      }),
    tryReserveSlot: ({ isSticky }) => acquire(isSticky),
    markSlotUsed: ({ permit }) => {
      endPoll(permit);
      tasks.set(permit, now());
    },
    releaseSlot: ({ permit, slotInfo }) => {
      endPoll(permit);
      const beganAt = tasks.get(permit);
      // The SDK calls a task sticky if it came without the history of before. A new node's first task counts as a replay, too.
      if (beganAt !== undefined) adjustLimit(beganAt, slotInfo?.isSticky === false);
      tasks.delete(permit);
      grantWaiting();
    },
  };
};
