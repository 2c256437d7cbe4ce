export type WaitingList<Unit> = ReturnType<typeof createWaitingList<Unit>>;

/** What waits for a slot, each unit on behalf of one or more users. Users take turns; the units of each go by their arrival. */
export const createWaitingList = <Unit>() => {
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
    has: (unit: Unit): boolean => waiters.has(unit),
    /** Adds `unit` behind what the user waits for; nothing where they wait for it already. */
    add: (userId: string, unit: Unit): void => {
      const units = users.get(userId) ?? new Set();
      if (units.has(unit)) return;
      turns += 1;
      users.set(userId, units.add(unit));
      waiters.set(unit, (waiters.get(unit) ?? new Set()).add(userId));
    },
    /** Takes out the unit whose turn it is, for all users who wait for it; users who `may` not have one now are passed over. */
    next: (may: (userId: string) => boolean = () => true): readonly [userId: string, unit: Unit] | undefined => {
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
    /** What the user waits for, by its arrival. */
    of: (userId: string): ReadonlySet<Unit> => users.get(userId) ?? new Set(),
    /** Number of turns up to the one of a further unit of the user. */
    turnsUntil: (userId: string): number => {
      const own = (users.get(userId)?.size ?? 0) + 1;
      let before = own;
      for (const [other, units] of users) if (other !== userId) before += Math.min(units.size, own);
      return before;
    },
    /** Number of turns up to the last one. */
    turns: (): number => turns,
    /** The newest unit of the user who waits for most. */
    newestOfMost: (): readonly [userId: string, unit: Unit] | undefined => {
      let most: readonly [string, Set<Unit>] | undefined;
      for (const one of users) if (most === undefined || one[1].size > most[1].size) most = one;
      const newest = most && [...most[1]].at(-1);
      return most === undefined || newest === undefined ? undefined : [most[0], newest];
    },
  };
};
