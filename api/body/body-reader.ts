import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as TE from 'fp-ts/TaskEither';
import type { Problem } from '../problems/problem';
import { readContent, type BodyForm, type Content } from './read-content';
import { createRoom } from './room';
import { createTurns } from './turns';

/** A call whose body is read. */
export interface BodyCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Reads the body of a call of the user's; its place is kept until the call is answered. */
export type ReadBody = (call: BodyCall, userId: string, form: BodyForm) => TE.TaskEither<Problem, Content>;

/** Reads bodies, of which all calls under way may have `roomBytes` together. */
export const createBodyReader = (roomBytes: number): ReadBody => {
  const placeOf = createRoom(roomBytes);
  const inTurn = createTurns();
  return ({ req, res }, userId, form) => {
    const place = placeOf(userId);
    res.once('close', place.leave);
    return readContent(req, form, { place, inTurn: (work) => inTurn(userId, work) });
  };
};
