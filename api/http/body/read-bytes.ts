import type { IncomingMessage } from 'node:http';
import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { invalidRequest } from '../problems/of-request';
import { problem, type Problem } from '../problems/problem';
import type { Reservation } from '../admission/body-memory';

/** Overhead of a chunk in bytes: a body can arrive in chunks of one byte. */
const BYTES_OF_A_CHUNK = 256;

/**
 * The bytes of a body, at most `most`, within the memory budget. Bytes after a refusal are discarded.
 *
 * Errors: 413 for more; 429 and 503 of the `reservation`; 400 for a caller that disconnected or sent less than it announced.
 */
export const readBytes =
  (
    request: IncomingMessage,
    most: number,
    reservation: Pick<Reservation, 'take'>,
  ): TE.TaskEither<Problem, Uint8Array> =>
  () =>
    new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const refuse = (refusal: Problem): void => {
        request.off('data', keep);
        request.resume();
        resolve(E.left(refusal));
      };
      const keep = (chunk: Buffer): void => {
        length += chunk.length;
        const taken = length > most ? E.left(tooLarge(most)) : reservation.take(chunk.length + BYTES_OF_A_CHUNK);
        if (E.isLeft(taken)) refuse(taken.left);
        else chunks.push(chunk);
      };
      if (Number(request.headers['content-length'] ?? 0) > most) {
        refuse(tooLarge(most));
        return;
      }
      request.on('data', keep);
      request.once('end', () => {
        resolve(E.right(Buffer.concat(chunks)));
      });
      request.once('close', () => {
        refuse(notWhole); // also emitted after the end, when it has no effect
      });
      request.once('error', () => undefined); // `close` follows
    });

const tooLarge = (most: number): Problem => problem('payload-too-large', `The body may have ${most} bytes.`);
const notWhole = invalidRequest([{ name: '', reason: 'did not arrive whole' }]);
