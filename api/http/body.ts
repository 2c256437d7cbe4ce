import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as E from 'fp-ts/Either';
import { createTurns } from '../admission/turns';
import type { Caller } from '../ports';
import { invalidRequest, problem, type Problem } from '../contract/problems/problem';
import { BYTES_OF_A_PIECE, type BodyForm, type CallMemory } from '../contract/route';
import type { Reason } from '../../workflows/domain/codecs';
import { membersIn, parseJson, type Content } from '../../process/json';
import { COMMAND_VALUES } from '../../workflows/domain/limits';

const BROKEN = Symbol('broken');
const broken = new WeakMap<IncomingMessage, Problem>();

/** Marks a request whose body is incomplete or not HTTP. If the call still needs the body, it is answered with `refusal`. */
export const markBodyBroken = (request: IncomingMessage, refusal: Problem): void => {
  broken.set(request, refusal);
  request.emit(BROKEN, refusal);
};

/**
 * Reads the bytes of a body. Left: 413 for more than `most` bytes; 429 or 503 if `reserveBytes` gives no memory; 408 after
 * `until`; 400 for a body that did not arrive whole; or the refusal of `markBodyBroken`.
 */
const readBytes = (
  request: IncomingMessage,
  most: number,
  until: number,
  reserveBytes: CallMemory['reserveBytes'],
): Promise<E.Either<Problem, Uint8Array>> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (refusal: Problem): void => end(E.left(refusal));
    const keep = (chunk: Buffer): void => {
      length += chunk.length;
      const taken = length > most ? E.left(tooLarge(most)) : reserveBytes(chunk.length + BYTES_OF_A_PIECE);
      if (E.isLeft(taken)) refuse(taken.left);
      else chunks.push(chunk);
    };
    const timer = setTimeout(() => refuse(slowRequest), Math.max(0, until - performance.now()));
    const end = (read: E.Either<Problem, Uint8Array>): void => {
      clearTimeout(timer);
      request.off('data', keep);
      request.resume();
      resolve(read);
    };
    // The request may already be broken off or closed. Then it does not emit these events again, so check first.
    const refusal =
      broken.get(request) ??
      (request.destroyed ? incompleteBody : undefined) ??
      (Number(request.headers['content-length'] ?? 0) > most ? tooLarge(most) : undefined);
    if (refusal !== undefined) {
      refuse(refusal);
      return;
    }
    request.on('data', keep);
    request.once('end', () => end(E.right(Buffer.concat(chunks))));
    request.once(BROKEN, refuse);
    request.once('close', () => refuse(incompleteBody)); // after `end` this has no effect
    request.once('error', () => undefined); // `close` follows each error
  });

const tooLarge = (most: number): Problem => problem('payload-too-large', `The body may have ${most} bytes.`);
export const incompleteBody = invalidRequest([{ name: '', reason: 'did not arrive whole' }]);
export const slowRequest = problem(
  'request-timeout',
  'The request did not arrive in time.',
  {},
  { Connection: 'close' },
);

export const NO_CONTENT: Content = { value: undefined, faults: [] };

/** Body size in bytes from which parsing takes a millisecond or more. */
const LARGE_BYTES = 32 * 1_024;

export type ReadBody = ReturnType<typeof createReadBody>;

/**
 * Creates the function that reads JSON bodies. It reserves memory for their bytes with `reserveBytes`. Each step of parsing a
 * large body has a turn of the event loop to itself, and users take turns. Left: 415 for another media type or a compressed
 * body; then 413, 429, 503, 408 and 400 of `readBytes`; then 400 for faulty JSON.
 */
export const createReadBody = () => {
  const { runInTurn } = createTurns();
  return async (
    request: IncomingMessage,
    { userId, until }: Required<Caller>,
    { mediaType, mostBytes, mayBeEmpty }: BodyForm,
    reserveBytes: CallMemory['reserveBytes'],
  ): Promise<E.Either<Problem, Content>> => {
    const { headers } = request;
    if (mayBeEmpty && isBodyless(headers)) return E.right(NO_CONTENT);
    if (!isPlain(headers)) return E.left(unsupported('The body must not be compressed.'));
    const wrongType = isOfType(headers, mediaType) ? undefined : unsupported(`The body must be ${mediaType}.`);
    const mayTurnOutEmpty = mayBeEmpty && headers['transfer-encoding'] !== undefined;
    if (wrongType !== undefined && !mayTurnOutEmpty) return E.left(wrongType);
    const read = await readBytes(request, mostBytes, until, reserveBytes);
    if (E.isRight(read) && mayBeEmpty && read.right.length === 0) return E.right(NO_CONTENT);
    if (wrongType !== undefined) return E.left(wrongType);
    if (E.isLeft(read)) return read;
    const bytes = read.right;
    const step = <A>(work: () => A): A | Promise<A> => (bytes.length < LARGE_BYTES ? work() : runInTurn(userId, work));
    const written = await step(() => membersIn(bytes, COMMAND_VALUES));
    const content = E.isLeft(written) ? written : await step(() => parseJson(bytes, written.right));
    return E.mapLeft((reason: Reason) => invalidRequest([reason]))(content);
  };
};

const unsupported = (detail: string): Problem => problem('unsupported-media-type', detail);

/** Whether the body has this media type. Parameters of the type are ignored, as JSON has none (RFC 8259, section 11). */
const isOfType = (headers: IncomingHttpHeaders, mediaType: string): boolean =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === mediaType;

const isPlain = (headers: IncomingHttpHeaders): boolean => {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity';
};

const isBodyless = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
