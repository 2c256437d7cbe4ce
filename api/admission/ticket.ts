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

interface Endings<T, Result> {
  readonly answered: (result: Result) => void;
  /** Its caller disconnected. */
  readonly gone: (ticket: T) => void;
  /** Its deadline passed; or, where it waits and is not to be waited for so long, `mostWaitMs`. */
  readonly expired: (ticket: T) => void;
  readonly mostWaitMs: number;
}

/** A ticket; its timer and its listener leave with its answer. */
export const createTicket = <Call, F, A>(
  what: Pick<Ticket<Call, F, A>, 'call' | 'nodeId' | 'by' | 'until' | 'since'>,
  { answered, gone, expired, mostWaitMs }: Endings<Ticket<Call, F, A>, E.Either<F | Outage, A>>,
): Ticket<Call, F, A> => {
  const { by, until, since } = what;
  const expiring = (at: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        if (ticket.isSent && at < until) timer = expiring(until);
        else expired(ticket);
      },
      Math.max(0, at - performance.now()),
    );
  const left = (): void => gone(ticket);
  const ticket: Ticket<Call, F, A> = {
    ...what,
    isSent: false,
    isAnswered: false,
    answer: (result) => {
      if (ticket.isAnswered) return;
      ticket.isAnswered = true;
      clearTimeout(timer);
      by.gone?.removeEventListener('abort', left);
      answered(result);
    },
  };
  let timer = expiring(Math.min(until, since + mostWaitMs));
  if (by.gone !== undefined) setMaxListeners(0, by.gone); // a batch waits for many nodes
  by.gone?.addEventListener('abort', left);
  return ticket;
};
