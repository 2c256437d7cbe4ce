import type { Behalf } from '../ports';

/** The calls that wait for one node, by their arrival and by their users. */
export interface Queue<Ticket> {
  readonly waiting: Set<Ticket>;
  readonly ofUsers: Map<string, Set<Ticket>>;
}

type OfUser = { readonly by: Behalf };

export const emptyQueue = <Ticket>(): Queue<Ticket> => ({ waiting: new Set(), ofUsers: new Map() });

export const add = <Ticket extends OfUser>({ waiting, ofUsers }: Queue<Ticket>, ticket: Ticket): void => {
  const { userId } = ticket.by;
  const own = ofUsers.get(userId);
  waiting.add(ticket);
  if (own === undefined) ofUsers.set(userId, new Set([ticket]));
  else own.add(ticket);
};

/** Takes a call out; whether it waited. */
export const remove = <Ticket extends OfUser>({ waiting, ofUsers }: Queue<Ticket>, ticket: Ticket): boolean => {
  const { userId } = ticket.by;
  const own = ofUsers.get(userId);
  own?.delete(ticket);
  if (own?.size === 0) ofUsers.delete(userId);
  return waiting.delete(ticket);
};

/** Adds calls that waited before, ahead of the others. */
export const putBack = <Ticket extends OfUser>(queue: Queue<Ticket>, tickets: ReadonlyArray<Ticket>): void => {
  const others = [...queue.waiting];
  for (const ticket of others) remove(queue, ticket);
  for (const ticket of [...tickets, ...others]) add(queue, ticket);
};

/** The newest call of the user who has most; none where that is the newcomer, with one more. */
export const newestOfMost = <Ticket extends OfUser>(
  { ofUsers }: Queue<Ticket>,
  newcomer: string,
): Ticket | undefined => {
  let most: ReadonlySet<Ticket> | undefined;
  let count = 1 + (ofUsers.get(newcomer)?.size ?? 0);
  for (const tickets of ofUsers.values()) if (tickets.size > count) [most, count] = [tickets, tickets.size];
  return most && [...most].at(-1);
};
