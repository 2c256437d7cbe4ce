import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as TE from 'fp-ts/TaskEither';
import type { Problem } from '../problems/problem';
import { readContent, type BodyForm, type Content } from './read-content';
import { createBodyMemory } from './body-memory';
import { createTurns } from './turns';

/** A call whose body is read. */
export interface BodyCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Reads the body of a user's call; its memory is reserved until the call is answered. */
export type ReadBody = (call: BodyCall, userId: string, form: BodyForm) => TE.TaskEither<Problem, Content>;

/** Reads bodies; all calls in flight together may hold `budgetBytes`. */
export const createBodyReader = (budgetBytes: number): ReadBody => {
  const reserve = createBodyMemory(budgetBytes);
  const inTurn = createTurns();
  return ({ req, res }, userId, form) => {
    const reservation = reserve(userId);
    res.once('close', reservation.release);
    return readContent(req, form, { reservation, inTurn: (work) => inTurn(userId, work) });
  };
};
