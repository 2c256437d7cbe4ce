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

export interface Endings<T> {
  readonly answered: (ticket: T) => void;
  /** The caller of the ticket disconnected. */
  readonly gone: (ticket: T) => void;
  /** The deadline of the call passed, or the call was not sent within `mostWaitMs` after its arrival. */
  readonly expired: (ticket: T) => void;
}

/** Creates a ticket whose answer goes to `resolve`. The answer also removes the ticket's timer and listener. */
export const createTicket = <Call, F, A>(
  what: Pick<Ticket<Call, F, A>, 'call' | 'nodeId' | 'by' | 'until' | 'since'>,
  mostWaitMs: number,
  on: Endings<Ticket<Call, F, A>>,
  resolve: (result: E.Either<F | Outage, A>) => void,
): Ticket<Call, F, A> => {
  const { by, until, since } = what;
  const { gone } = by;
  const expiring = (at: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        if (ticket.isSent && at < until) timer = expiring(until);
        else on.expired(ticket);
      },
      Math.max(0, at - performance.now()),
    );
  const left = gone && ((): void => on.gone(ticket));
  const ticket: Ticket<Call, F, A> = {
    ...what,
    isSent: false,
    isAnswered: false,
    answer: (result) => {
      if (ticket.isAnswered) return;
      ticket.isAnswered = true;
      clearTimeout(timer);
      if (left !== undefined) gone?.removeEventListener('abort', left);
      on.answered(ticket);
      resolve(result);
    },
  };
  let timer = expiring(Math.min(until, since + mostWaitMs));
  if (gone === undefined || left === undefined) return ticket;
  setMaxListeners(0, gone); // a batch adds a listener for each node, and Node warns of more than ten
  gone.addEventListener('abort', left);
  return ticket;
};
