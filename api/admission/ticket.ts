import { setMaxListeners } from 'node:events';
import type * as E from 'fp-ts/Either';
import type { Caller, Outage } from '../ports';

/** A call from its arrival to its answer. Only the first answer counts. */
export interface Ticket<Call, F, A> {
  readonly call: Call;
  readonly nodeId: string;
  readonly by: Caller;
  /** The deadline and the arrival of the call, as times of `performance.now()`. */
  readonly until: number;
  readonly since: number;
  readonly answer: (result: E.Either<F | Outage, A>) => void;
  isSent: boolean;
  isAnswered: boolean;
  /** The answer to a call that the node did not take and that waits again, if the call's deadline passes before it is sent. */
  ifNotSent?: F | undefined;
}

export interface TicketEvents<T> {
  readonly answered: (ticket: T) => void;
  /** The caller of the ticket disconnected. */
  readonly disconnected: (ticket: T) => void;
  /** The deadline of the call passed, or the call was not sent within `mostWaitMs` after its arrival. */
  readonly expired: (ticket: T) => void;
}

/** Creates a ticket whose answer goes to `resolve`. The answer also removes the ticket's timer and listener. */
export const createTicket = <Call, F, A>(
  what: Pick<Ticket<Call, F, A>, 'call' | 'nodeId' | 'by' | 'until' | 'since'>,
  mostWaitMs: number,
  on: TicketEvents<Ticket<Call, F, A>>,
  resolve: (result: E.Either<F | Outage, A>) => void,
): Ticket<Call, F, A> => {
  const { by, until, since } = what;
  const { disconnected } = by;
  const startTimer = (at: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        if (ticket.isSent && at < until) timer = startTimer(until);
        else on.expired(ticket);
      },
      Math.max(0, at - performance.now()),
    );
  const onDisconnect = disconnected && ((): void => on.disconnected(ticket));
  const ticket: Ticket<Call, F, A> = {
    ...what,
    isSent: false,
    isAnswered: false,
    answer: (result) => {
      if (ticket.isAnswered) return;
      ticket.isAnswered = true;
      clearTimeout(timer);
      if (onDisconnect !== undefined) disconnected?.removeEventListener('abort', onDisconnect);
      on.answered(ticket);
      resolve(result);
    },
  };
  let timer = startTimer(Math.min(until, since + mostWaitMs));
  if (disconnected === undefined || onDisconnect === undefined) return ticket;
  setMaxListeners(0, disconnected); // a batch adds a listener for each node, and Node warns of more than ten
  disconnected.addEventListener('abort', onDisconnect);
  return ticket;
};
