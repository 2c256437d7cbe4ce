import type { Behalf } from '../ports';

/** The calls that wait for one node, by their arrival and by their users. */
export const createQueue = <Ticket extends { readonly by: Behalf }>() => {
  const waiting = new Set<Ticket>();
  const ofUsers = new Map<string, Set<Ticket>>();
  const add = (ticket: Ticket): void => {
    const { userId } = ticket.by;
    waiting.add(ticket);
    ofUsers.set(userId, (ofUsers.get(userId) ?? new Set()).add(ticket));
  };
  const remove = (ticket: Ticket): boolean => {
    const { userId } = ticket.by;
    const own = ofUsers.get(userId);
    own?.delete(ticket);
    if (own?.size === 0) ofUsers.delete(userId);
    return waiting.delete(ticket);
  };
  return {
    add,
    /** Whether it waited. */
    remove,
    /** Adds those that waited here before, ahead of the others. */
    putBack: (tickets: ReadonlyArray<Ticket>): void => {
      const others = [...waiting];
      for (const ticket of others) remove(ticket);
      for (const ticket of [...tickets, ...others]) add(ticket);
    },
    size: () => waiting.size,
    all: (): Iterable<Ticket> => waiting,
    users: (): Iterable<string> => ofUsers.keys(),
    of: (userId: string): ReadonlySet<Ticket> => ofUsers.get(userId) ?? new Set(),
    /** The newest call of the user who has most; none where that is the newcomer, with one more. */
    newestOfMost: (newcomer: string): Ticket | undefined => {
      let most: ReadonlySet<Ticket> | undefined;
      let count = 1 + (ofUsers.get(newcomer)?.size ?? 0);
      for (const tickets of ofUsers.values()) if (tickets.size > count) [most, count] = [tickets, tickets.size];
      return most && [...most].at(-1);
    },
  };
};
