import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as TE from 'fp-ts/TaskEither';
import { createTurns } from '../../admission/turns';
import type { Content } from '../../../process/json/read-json';
import { type BodyForm, readContent } from '../body';
import type { Problem } from '../problems/problem';
import { createBodyMemory } from './body-memory';

/** A call whose body is read. */
export interface BodyCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Reads the body of a user's call; its memory is held until the call is answered. */
export type ReadBody = (call: BodyCall, userId: string, form: BodyForm) => TE.TaskEither<Problem, Content>;

/** Reads bodies; those of all calls in flight take at most `bytes`. */
export const createReadBody = (bytes: number): ReadBody => {
  const reserve = createBodyMemory(bytes);
  const inTurn = createTurns();
  return ({ req, res }, userId, form) => {
    const reservation = reserve(userId);
    res.once('close', reservation.release);
    return readContent(req, form, { reservation, inTurn: (work) => inTurn(userId, work) });
  };
};
