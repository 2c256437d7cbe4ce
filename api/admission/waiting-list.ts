import { createLinkedList, type ListEntry, type LinkedList } from './linked-list';
import { createPrefixSums } from './prefix-sums';

export type WaitingList<Unit> = ReturnType<typeof createWaitingList<Unit>>;

/**
 * A user and the units that the user waits for. `place` is the user's entry in `inTurn`, and `peers` is the entry in one list
 * of `withMany`.
 */
interface Waiter<Unit> {
  readonly userId: string;
  readonly units: LinkedList<Unit>;
  place?: ListEntry<Waiter<Unit>>;
  peers?: ListEntry<Waiter<Unit>>;
}

/**
 * Units (nodes, or pieces of work) that wait, each on behalf of one or more users. Users take turns, and the units of a user go
 * in order of arrival. An operation costs O(log n) for n units of a user, however many users wait. Only `next` may cost more,
 * because it passes over each user who may not have a unit now.
 */
export const createWaitingList = <Unit>() => {
  const users = new Map<string, Waiter<Unit>>();
  const inTurn = createLinkedList<Waiter<Unit>>(); // the user whose turn is next comes first
  const waiting = new Map<Unit, Map<string, ListEntry<Unit>>>();
  const withMany: LinkedList<Waiter<Unit>>[] = []; // at index n - 1: the users who wait for n units
  const withAsMany = createPrefixSums(); // at index n: the number of users who wait for n units or more
  let turns = 0;

  /** Updates turns, lists and sums after a unit of the user came (`by` 1) or left (`by` -1). */
  const count = (user: Waiter<Unit>, by: 1 | -1): void => {
    const now = user.units.size();
    turns += by;
    withAsMany.add(by === 1 ? now : now + 1, by);
    if (user.peers !== undefined) withMany[now - by - 1]?.remove(user.peers);
    if (now > 0) user.peers = (withMany[now - 1] ??= createLinkedList()).add(user);
    while (withMany.at(-1)?.size() === 0) withMany.pop();
  };
  const remove = (userId: string, unit: Unit): void => {
    const waiters = waiting.get(unit);
    const [entry, user] = [waiters?.get(userId), users.get(userId)];
    if (waiters === undefined || entry === undefined || user === undefined) return;
    waiters.delete(userId);
    if (waiters.size === 0) waiting.delete(unit);
    user.units.remove(entry);
    count(user, -1);
    if (user.units.size() > 0) return;
    if (user.place !== undefined) inTurn.remove(user.place);
    users.delete(userId);
  };
  const addUser = (userId: string): Waiter<Unit> => {
    const user: Waiter<Unit> = { userId, units: createLinkedList() };
    user.place = inTurn.add(user);
    users.set(userId, user);
    return user;
  };
  return {
    remove,
    has: (unit: Unit): boolean => waiting.has(unit),
    /** Adds `unit` behind the user's other units. Does nothing if the user waits for it already. */
    add: (userId: string, unit: Unit): void => {
      const waiters = waiting.get(unit) ?? new Map<string, ListEntry<Unit>>();
      if (waiters.has(userId)) return;
      const user = users.get(userId) ?? addUser(userId);
      waiting.set(unit, waiters.set(userId, user.units.add(unit)));
      count(user, 1);
    },
    /** Takes out the unit whose turn it is, for all users who wait for it. Passes over users who `may` not have a unit now. */
    next: (may: (userId: string) => boolean = () => true): readonly [userId: string, unit: Unit] | undefined => {
      let place = inTurn.first();
      while (place !== undefined && !may(place.value.userId)) place = place.after;
      const first = place?.value.units.first();
      if (place === undefined || first === undefined) return undefined;
      const { value: user } = place;
      inTurn.remove(place);
      user.place = inTurn.add(user);
      for (const waiter of waiting.get(first.value)?.keys() ?? []) remove(waiter, first.value);
      return [user.userId, first.value];
    },
    /** Number of units that the user waits for. */
    of: (userId: string): number => users.get(userId)?.units.size() ?? 0,
    /** The unit that the user has waited for the longest. */
    oldestOf: (userId: string): Unit | undefined => users.get(userId)?.units.first()?.value,
    /** Number of turns until one more unit of the user would have its turn, that turn included. */
    turnsUntil: (userId: string): number => {
      const own = users.get(userId)?.units.size() ?? 0;
      return withAsMany.upTo(own + 1) + 1;
    },
    /** Number of turns in the list: one for each user and unit. */
    turns: (): number => turns,
    /** The newest unit of the user who waits for the most units. */
    newestOfBusiestUser: (): readonly [userId: string, unit: Unit] | undefined => {
      const most = withMany.at(-1)?.first()?.value;
      const newest = most?.units.last();
      return most === undefined || newest === undefined ? undefined : [most.userId, newest.value];
    },
  };
};
