import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as E from 'fp-ts/Either';
import type { Context } from 'koa';
import { createTurns } from '../admission/turns';
import { invalidRequest, problem, tooMany, unavailable, type Problem } from './problems/problem';
import type { Reason } from '../../workflows/domain/codecs';
import { membersIn, parseJson, type Content } from '../../process/json';

/**
 * The memory of all bodies: at most `most` bytes in flight, those that came. A user may hold as much as is left for others, so
 * whoever comes finds some (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998).
 */
export const createBodyMemory = (most: number) => {
  const held = new Map<string, number>();
  let left = most;
  /** The memory of the body of one call. */
  return (userId: string) => {
    let taken = 0;
    return {
      /** Takes more bytes. Errors: 429 for a user with as much as is left, 503 for another one. */
      take: (bytes: number): E.Either<Problem, void> => {
        const own = held.get(userId) ?? 0;
        if (bytes > left || (own > 0 && own + bytes > left)) return E.left(own > 0 ? ownShare : noneLeft);
        held.set(userId, own + bytes);
        left -= bytes;
        taken += bytes;
        return E.right(undefined);
      },
      release: (): void => {
        const own = (held.get(userId) ?? 0) - taken;
        if (own > 0) held.set(userId, own);
        else held.delete(userId);
        left += taken;
        taken = 0;
      },
    };
  };
};

const ownShare = tooMany(
  "The bodies of the user's calls in flight fill their share of the memory. Nothing was changed.",
  1,
);
const noneLeft = unavailable('The bodies of all calls in flight fill the memory that they have.', false, 1);

/** Overhead of a chunk in bytes: a body can arrive in chunks of one byte. */
const BYTES_OF_A_CHUNK = 256;

/** The bytes of a body. Left: 413 for more than `most`; 429 and 503 of `take`; 400 for one that did not arrive whole. */
const readBytes = (
  request: IncomingMessage,
  most: number,
  take: (bytes: number) => E.Either<Problem, void>,
): Promise<E.Either<Problem, Uint8Array>> =>
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
      const taken = length > most ? E.left(tooLarge(most)) : take(chunk.length + BYTES_OF_A_CHUNK);
      if (E.isLeft(taken)) refuse(taken.left);
      else chunks.push(chunk);
    };
    if (Number(request.headers['content-length'] ?? 0) > most) {
      refuse(tooLarge(most));
      return;
    }
    request.on('data', keep);
    request.once('end', () => resolve(E.right(Buffer.concat(chunks))));
    request.once('close', () => refuse(notWhole)); // also emitted after the end, when it has no effect
    request.once('error', () => undefined); // `close` follows
  });

const tooLarge = (most: number): Problem => problem('payload-too-large', `The body may have ${most} bytes.`);
const notWhole = invalidRequest([{ name: '', reason: 'did not arrive whole' }]);

export interface BodyForm {
  readonly mediaType: string;
  readonly mostBytes: number;
  /** Whether an empty body is valid; it needs no media type. */
  readonly mayBeEmpty: boolean;
}

export const NO_CONTENT: Content = { value: undefined, faults: [] };

/** Body size in bytes from which parsing takes a millisecond or more. */
const LARGE_BYTES = 32 * 1_024;

type Call = Pick<Context, 'req' | 'res'>;
export type ReadBody = ReturnType<typeof createReadBody>;

/**
 * Reads the bodies of users' calls, as JSON; those of all calls in flight take at most `most` bytes. Users take turns with large
 * ones. Left: 415 for another media type or a compressed body, then 413, 429 and 503, then 400.
 */
export const createReadBody = (most: number) => {
  const reserve = createBodyMemory(most);
  const { inTurn } = createTurns();
  return async ({ req, res }: Call, userId: string, form: BodyForm): Promise<E.Either<Problem, Content>> => {
    const { mediaType, mostBytes, mayBeEmpty } = form;
    const { headers } = req;
    if (mayBeEmpty && isBodyless(headers)) return E.right(NO_CONTENT);
    if (!isPlain(headers)) return E.left(unsupported('The body must not be compressed.'));
    const wrongType = isOfType(headers, mediaType) ? undefined : unsupported(`The body must be ${mediaType}.`);
    const mayTurnOutEmpty = mayBeEmpty && headers['transfer-encoding'] !== undefined;
    if (wrongType !== undefined && !mayTurnOutEmpty) return E.left(wrongType);
    const { take, release } = reserve(userId);
    res.once('close', release);
    const read = await readBytes(req, mostBytes, take);
    if (E.isRight(read) && mayBeEmpty && read.right.length === 0) return E.right(NO_CONTENT);
    if (wrongType !== undefined) return E.left(wrongType);
    if (E.isLeft(read)) return read;
    const bytes = read.right;
    const step = <A>(work: () => A): A | Promise<A> => (bytes.length < LARGE_BYTES ? work() : inTurn(userId, work));
    const written = await step(() => membersIn(bytes));
    const content = E.isLeft(written) ? written : await step(() => parseJson(bytes, written.right));
    return E.mapLeft((reason: Reason) => invalidRequest([reason]))(content);
  };
};

const unsupported = (detail: string): Problem => problem('unsupported-media-type', detail);

/** Whether the body is of `mediaType`; parameters are ignored, JSON has none (RFC 8259, section 11). */
const isOfType = (headers: IncomingHttpHeaders, mediaType: string): boolean =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === mediaType;

/** Whether the body is uncompressed; compressed ones are refused. */
const isPlain = (headers: IncomingHttpHeaders): boolean => {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity';
};

const isBodyless = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
