import { setMaxListeners } from 'node:events';
import type * as E from 'fp-ts/Either';
import type { Behalf, Outage } from '../ports';

/** A call from its arrival to its answer; it is answered once. */
export interface Ticket<Call, F, A> {
  readonly call: Call;
  readonly nodeId: string;
  readonly by: Behalf;
  /** Deadline and arrival, by `performance.now()`. */
  readonly until: number;
  readonly since: number;
  readonly answer: (result: E.Either<F | Outage, A>) => void;
  isSent: boolean;
  isAnswered: boolean;
  /** The answer of one that has to wait again, should its deadline pass first. */
  ifNotSent?: F | undefined;
}

export interface Endings<T> {
  readonly answered: (ticket: T) => void;
  /** Its caller disconnected. */
  readonly gone: (ticket: T) => void;
  /** Its deadline passed; or, where it is not sent yet, `mostWaitMs` since it came. */
  readonly expired: (ticket: T) => void;
}

/** A ticket, whose answer goes to `resolve`; its timer and its listener leave with its answer. */
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
  setMaxListeners(0, gone); // a batch waits for many nodes
  gone.addEventListener('abort', left);
  return ticket;
};
