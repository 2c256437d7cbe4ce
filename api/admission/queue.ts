import type { Ticket } from './ticket';

/** The calls that wait for one node: all in order of arrival, and the same calls by user. */
export interface Queue<Call, F, A> {
  readonly waiting: Set<Ticket<Call, F, A>>;
  readonly ofUsers: Map<string, Set<Ticket<Call, F, A>>>;
}

export const emptyQueue = <Call, F, A>(): Queue<Call, F, A> => ({ waiting: new Set(), ofUsers: new Map() });

export const add = <Call, F, A>({ waiting, ofUsers }: Queue<Call, F, A>, ticket: Ticket<Call, F, A>): void => {
  const { userId } = ticket.by;
  const own = ofUsers.get(userId);
  waiting.add(ticket);
  if (own === undefined) ofUsers.set(userId, new Set([ticket]));
  else own.add(ticket);
};

export const remove = <Call, F, A>({ waiting, ofUsers }: Queue<Call, F, A>, ticket: Ticket<Call, F, A>): boolean => {
  const { userId } = ticket.by;
  const own = ofUsers.get(userId);
  own?.delete(ticket);
  if (own?.size === 0) ofUsers.delete(userId);
  return waiting.delete(ticket);
};

/** Returns calls that the node did not take to the head of the queue. */
export const putBack = <Call, F, A>(queue: Queue<Call, F, A>, tickets: ReadonlyArray<Ticket<Call, F, A>>): void => {
  const others = [...queue.waiting];
  for (const ticket of others) remove(queue, ticket);
  for (const ticket of [...tickets, ...others]) add(queue, ticket);
};

/** The limits of a group of calls: their number, and their bytes in total. A single call may have more bytes. */
export interface GroupLimits<Call> {
  readonly mostTogether: number;
  readonly mostBytes?: number;
  readonly bytesOf?: (call: Call) => number;
}

/** Selects the next group of calls, and the late calls that it passes over (deadline before `now`). All stay in the queue. */
export const nextGroup = <Call, F, A>(
  { waiting }: Queue<Call, F, A>,
  { mostTogether, mostBytes = Infinity, bytesOf = () => 0 }: GroupLimits<Call>,
  now: number,
): { readonly group: ReadonlyArray<Ticket<Call, F, A>>; readonly late: ReadonlyArray<Ticket<Call, F, A>> } => {
  const [group, late]: [Ticket<Call, F, A>[], Ticket<Call, F, A>[]] = [[], []];
  let bytes = 0;
  for (const ticket of waiting) {
    if (ticket.until <= now) late.push(ticket);
    else {
      bytes += bytesOf(ticket.call);
      if (group.length > 0 && bytes > mostBytes) break;
      if (group.push(ticket) >= mostTogether) break;
    }
  }
  return { group, late };
};

/** The newest call of the user with most calls; undefined if nobody has more than `newcomer`, whose new call counts too. */
export const newestOfBusiestUser = <Call, F, A>(
  { ofUsers }: Queue<Call, F, A>,
  newcomer: string,
): Ticket<Call, F, A> | undefined => {
  let most: ReadonlySet<Ticket<Call, F, A>> | undefined;
  let count = 1 + (ofUsers.get(newcomer)?.size ?? 0);
  for (const tickets of ofUsers.values()) if (tickets.size > count) [most, count] = [tickets, tickets.size];
  return most && [...most].at(-1);
};
