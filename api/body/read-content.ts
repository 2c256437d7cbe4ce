import type { IncomingMessage } from 'node:http';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { invalidRequest } from '../problems/of-request';
import { problem, type Problem } from '../problems/problem';
import { isBodyless, isOfType, isPlain } from './media-type';
import { readBytes } from './read-bytes';
import { readJson, type Content } from './read-json';

export type { Content };

/** What the body of a route may be. */
export interface BodyForm {
  readonly mediaType: string;
  readonly mostBytes: number;
  /** Whether no bytes at all have a meaning of their own; they need no media type. */
  readonly mayBeEmpty: boolean;
}

/** No body bytes, where they have a meaning of their own. */
export const NO_CONTENT: Content = { value: undefined, faults: [] };

/**
 * The JSON in the body of `request`.
 *
 * Errors: 415 for another media type or a compressed body, then 413, then 400.
 */
export const readContent = (request: IncomingMessage, form: BodyForm): TE.TaskEither<Problem, Content> => {
  const { headers } = request;
  if (form.mayBeEmpty && isBodyless(headers)) return TE.right(NO_CONTENT);
  if (!isPlain(headers)) return TE.left(unsupported('The body must not be compressed.'));
  const bytes = readBytes(request, form.mostBytes);
  if (isOfType(headers, form.mediaType)) return pipe(bytes, TE.chainEitherK(contentOf(form)));
  const wrongType = unsupported(`The body must be ${form.mediaType}.`);
  return form.mayBeEmpty && headers['transfer-encoding'] !== undefined
    ? pipe(
        bytes, // a chunked body: only reading tells whether there is one
        TE.mapLeft(() => wrongType),
        TE.filterOrElse(
          ({ length }) => length === 0,
          () => wrongType,
        ),
        TE.map(() => NO_CONTENT),
      )
    : TE.left(wrongType);
};

const unsupported = (detail: string): Problem => problem('unsupported-media-type', detail);

const contentOf =
  ({ mayBeEmpty }: BodyForm) =>
  (bytes: Uint8Array): E.Either<Problem, Content> =>
    mayBeEmpty && bytes.length === 0
      ? E.right(NO_CONTENT)
      : pipe(
          readJson(bytes),
          E.mapLeft((reason) => invalidRequest([reason])),
        );
