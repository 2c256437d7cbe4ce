import type { IncomingMessage } from 'node:http';
import * as TE from 'fp-ts/TaskEither';
import getRawBody, { type RawBodyError } from 'raw-body';
import { invalidRequest } from '../problems/of-request';
import { problem, type Problem } from '../problems/problem';

/**
 * The bytes of a body, at most `most`.
 *
 * Errors: 413 for more, the rest of which is let go; 400 for a caller who went away or sent less than he announced.
 */
export const readBytes = (request: IncomingMessage, most: number): TE.TaskEither<Problem, Uint8Array> =>
  TE.tryCatch(
    () => getRawBody(request, { limit: most, length: request.headers['content-length'] ?? null }),
    (error) => {
      request.resume();
      return (error as Partial<RawBodyError>).type === 'entity.too.large'
        ? problem('payload-too-large', `The body may have ${most} bytes.`)
        : invalidRequest([{ name: '', reason: 'did not arrive whole' }]);
    },
  );
