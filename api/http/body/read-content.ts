import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Reason } from '../../../workflows/domain/codecs';
import { invalidRequest } from '../problems/of-request';
import { problem, type Problem } from '../problems/problem';
import { readBytes } from './read-bytes';
import { parseJson, type Content } from '../../../process/json/read-json';
import type { Reservation } from '../admission/body-memory';
import { membersIn } from '../../../process/json/scan-json';

export type { Content };

/** The accepted body of a route. */
export interface BodyForm {
  readonly mediaType: string;
  readonly mostBytes: number;
  /** Whether an empty body is valid; it needs no media type. */
  readonly mayBeEmpty: boolean;
}

/** The content of an empty body, where that is valid. */
export const NO_CONTENT: Content = { value: undefined, faults: [] };

/** The means to read a body. */
export interface Means {
  readonly reservation: Pick<Reservation, 'take'>;
  /** Runs long work when it is the user's turn. */
  readonly inTurn: <A>(work: () => A) => Promise<A>;
}

/** Body size in bytes from which parsing takes a millisecond or more. */
const LARGE_BYTES = 32 * 1_024;

/**
 * The JSON in the body of `request`.
 *
 * Errors: 415 for another media type or a compressed body, then 413, 429 and 503, then 400.
 */
export const readContent = (
  request: IncomingMessage,
  form: BodyForm,
  { reservation, inTurn }: Means,
): TE.TaskEither<Problem, Content> => {
  const { headers } = request;
  if (form.mayBeEmpty && isBodyless(headers)) return TE.right(NO_CONTENT);
  if (!isPlain(headers)) return TE.left(unsupported('The body must not be compressed.'));
  const bytes = readBytes(request, form.mostBytes, reservation);
  if (isOfType(headers, form.mediaType)) {
    const large: Step = (work) => () => inTurn(work);
    return pipe(
      bytes,
      TE.chain((read) => contentOf(form, read, read.length < LARGE_BYTES ? TE.fromIOEither : large)),
    );
  }
  const wrongType = unsupported(`The body must be ${form.mediaType}.`);
  return form.mayBeEmpty && headers['transfer-encoding'] !== undefined
    ? pipe(
        bytes, // a chunked body may turn out empty
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

/** Runs a step of the reading, at once or when it is the user's turn. */
type Step = <A>(work: () => E.Either<Reason, A>) => TE.TaskEither<Reason, A>;

const contentOf = ({ mayBeEmpty }: BodyForm, bytes: Uint8Array, step: Step): TE.TaskEither<Problem, Content> =>
  mayBeEmpty && bytes.length === 0
    ? TE.right(NO_CONTENT)
    : pipe(
        step(() => membersIn(bytes)),
        TE.chain((written) => step(() => parseJson(bytes, written))),
        TE.mapLeft((reason) => invalidRequest([reason])),
      );

/** Whether the body is of `mediaType`; parameters are ignored, JSON has none (RFC 8259, section 11). */
const isOfType = (headers: IncomingHttpHeaders, mediaType: string): boolean =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === mediaType;

/** Whether the body is uncompressed; compressed ones are refused. */
const isPlain = (headers: IncomingHttpHeaders): boolean => {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity';
};

/** Whether the head shows that there is no body. */
const isBodyless = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
