/** What waits for a slot, each unit on behalf of one or more users. Users take turns; the units of each go by their arrival. */
export interface WaitingList<Unit> {
  /** Adds `unit` behind what the user waits for; nothing where they wait for it already. */
  readonly add: (userId: string, unit: Unit) => void;
  readonly remove: (userId: string, unit: Unit) => void;
  readonly has: (unit: Unit) => boolean;
  /** Takes out the unit whose turn it is, for all users who wait for it; users who `may` not have one now are passed over. */
  readonly next: (may?: (userId: string) => boolean) => readonly [userId: string, unit: Unit] | undefined;
  /** What the user waits for, by its arrival. */
  readonly of: (userId: string) => ReadonlySet<Unit>;
  /** Number of turns up to the one of a further unit of the user. */
  readonly turnsUntil: (userId: string) => number;
  /** Number of turns up to the last one. */
  readonly turns: () => number;
  /** The newest unit of the user who waits for most. */
  readonly newestOfMost: () => readonly [userId: string, unit: Unit] | undefined;
}

export const createWaitingList = <Unit>(): WaitingList<Unit> => {
  const users = new Map<string, Set<Unit>>(); // who has the next turn comes first
  const waiters = new Map<Unit, Set<string>>();
  let turns = 0;
  const remove = (userId: string, unit: Unit): void => {
    const units = users.get(userId);
    if (units?.delete(unit) !== true) return;
    turns -= 1;
    if (units.size === 0) users.delete(userId);
    waiters.get(unit)?.delete(userId);
    if (waiters.get(unit)?.size === 0) waiters.delete(unit);
  };
  return {
    remove,
    has: (unit) => waiters.has(unit),
    add: (userId, unit) => {
      const units = users.get(userId) ?? new Set();
      if (units.has(unit)) return;
      turns += 1;
      users.set(userId, units.add(unit));
      waiters.set(unit, (waiters.get(unit) ?? new Set()).add(userId));
    },
    next: (may = () => true) => {
      for (const [userId, units] of users) {
        if (!may(userId)) continue;
        users.delete(userId);
        users.set(userId, units); // behind the others
        for (const unit of units) {
          for (const waiter of waiters.get(unit) ?? []) remove(waiter, unit);
          return [userId, unit];
        }
      }
      return undefined;
    },
    of: (userId) => users.get(userId) ?? new Set(),
    turnsUntil: (userId) => {
      const own = (users.get(userId)?.size ?? 0) + 1;
      let before = own;
      for (const [other, units] of users) if (other !== userId) before += Math.min(units.size, own);
      return before;
    },
    turns: () => turns,
    newestOfMost: () => {
      let most: readonly [string, Set<Unit>] | undefined;
      for (const one of users) if (most === undefined || one[1].size > most[1].size) most = one;
      const newest = most && [...most[1]].at(-1);
      return most === undefined || newest === undefined ? undefined : [most[0], newest];
    },
  };
};
