import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { applyOperation, type Operation } from 'fast-json-patch';
import { isRecord, jsonBytes, type Reason } from '../codecs';
import { DOCUMENT_BYTES, PATCH_BYTES } from '../limits';
import type { PatchOperation } from './operations';

/** Where copies have made a document larger than any valid result can be, the patch is given up. */
const LARGEST_DOCUMENT = DOCUMENT_BYTES + PATCH_BYTES;

/**
 * `document` with all of `operations` applied, or the first that does not apply and why. `document` itself is not changed.
 *
 * fast-json-patch applies; what it lets through is refused before: inherited names as paths, indices with leading
 * zeros, a move into its own child, copies that grow without end.
 */
export const applyOperations = (
  document: unknown,
  operations: ReadonlyArray<PatchOperation>,
): E.Either<Reason, unknown> =>
  operations.reduce<E.Either<Reason, unknown>>(
    (done, operation, index) =>
      pipe(
        done,
        E.chain((current) => applyOne(current, operation)),
        E.mapLeft((reason) => (E.isLeft(done) ? reason : { ...reason, name: `${index}.${reason.name}` })),
      ),
    E.right(document),
  );

const applyOne = (document: unknown, operation: PatchOperation): E.Either<Reason, unknown> => {
  const missing = missingPlace(document, operation);
  if (missing !== undefined) return E.left(missing);
  return pipe(
    E.tryCatch(
      () => applyOperation<unknown>(document, operation as Operation, true, false).newDocument,
      (): Reason =>
        operation.op === 'test'
          ? { name: 'value', reason: `differs from the current value of ${operation.path}` }
          : { name: 'path', reason: `${operation.op} does not apply to ${operation.path}` },
    ),
    E.filterOrElse(
      (patched) => operation.op !== 'copy' || jsonBytes(patched) <= LARGEST_DOCUMENT,
      () => ({ name: 'path', reason: 'makes the threshold too large' }),
    ),
  );
};

const missingPlace = (document: unknown, operation: PatchOperation): Reason | undefined => {
  const { op, path } = operation;
  if ('from' in operation) {
    if (!exists(document, operation.from)) return { name: 'from', reason: `${operation.from} does not exist` };
    if (op === 'move' && path.startsWith(`${operation.from}/`)) {
      return { name: 'path', reason: 'lies inside of what is moved' };
    }
  }
  const creates = op === 'add' || op === 'move' || op === 'copy';
  return (creates ? canHold : exists)(document, path) ? undefined : { name: 'path', reason: `${path} does not exist` };
};

const tokensOf = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

const exists = (document: unknown, pointer: string): boolean => {
  let place = document;
  for (const token of tokensOf(pointer)) {
    const found = member(place, token);
    if (found === undefined) return false;
    place = found.value;
  }
  return true;
};

/** Whether the last token of `pointer` can be added: its parent is there, and an array has no gap before it. */
const canHold = (document: unknown, pointer: string): boolean => {
  if (pointer === '') return true;
  const cut = pointer.lastIndexOf('/');
  const parentPointer = pointer.slice(0, cut);
  if (!exists(document, parentPointer)) return false;
  const parent = tokensOf(parentPointer).reduce((place, token) => member(place, token)?.value, document);
  const [token = ''] = tokensOf(pointer.slice(cut));
  if (Array.isArray(parent)) return token === '-' || (INDEX.test(token) && Number(token) <= parent.length);
  return isRecord(parent) && !(token in {});
};

const INDEX = /^(?:0|[1-9]\d*)$/u;

/** An own member: what is inherited is missing, and `__proto__` even where a document names it. */
const member = (place: unknown, token: string): { readonly value: unknown } | undefined => {
  if (Array.isArray(place))
    return INDEX.test(token) && Number(token) < place.length ? { value: place[Number(token)] } : undefined;
  return isRecord(place) && Object.hasOwn(place, token) && !(token in {}) ? { value: place[token] } : undefined;
};
