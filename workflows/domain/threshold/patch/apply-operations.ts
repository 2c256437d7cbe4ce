import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { applyOperation, type Operation } from 'fast-json-patch';
import { isRecord, jsonBytes, type Reason } from '../../codecs';
import { DOCUMENT_BYTES, PATCH_BYTES } from '../../limits';
import type { PatchOperation } from './operations';

/** More than this copies may not bring in all: no valid threshold is as large. */
const MOST_COPIED = DOCUMENT_BYTES + PATCH_BYTES;

/**
 * `document` with all of `operations` applied, or the first that does not apply and why. Neither of them is changed.
 *
 * fast-json-patch applies; what it lets through is refused before: inherited names as paths, indices with leading
 * zeros, a move into its own child, copies that grow without end.
 */
export const applyOperations = (
  document: unknown,
  operations: ReadonlyArray<PatchOperation>,
): E.Either<Reason, unknown> => {
  let patched = copyOf(document);
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.op === 'copy') copied += jsonBytes(find(patched, operation.from)?.value ?? null);
    const applied = copied > MOST_COPIED ? tooLarge : applyOne(patched, operation);
    if (E.isLeft(applied)) return E.left({ ...applied.left, name: `${index}.${applied.left.name}` });
    patched = applied.right;
  }
  return E.right(patched);
};

const tooLarge: E.Either<Reason, never> = E.left({ name: 'path', reason: 'makes the threshold too large' });

/** `document` is our own copy: it is changed in place, which a patch of many operations on a large one needs. */
const applyOne = (document: unknown, operation: PatchOperation): E.Either<Reason, unknown> => {
  const { op, path } = operation;
  switch (op) {
    case 'add':
      return canHold(document, path) ? applied(document, operation) : missing('path', path);
    case 'remove':
    case 'replace':
    case 'test':
      return find(document, path) === undefined ? missing('path', path) : applied(document, operation);
    case 'move':
    case 'copy':
      return transferred(document, operation);
  }
};

const applied = (document: unknown, operation: PatchOperation): E.Either<Reason, unknown> =>
  E.tryCatch(
    () => applyOperation<unknown>(document, copyOf(operation) as Operation, true, true).newDocument,
    () =>
      operation.op === 'test'
        ? { name: 'value', reason: `differs from the current value of ${operation.path}` }
        : { name: 'path', reason: `${operation.op} does not apply to ${operation.path}` },
  );

/** A move removes, then adds (RFC 6902, section 4.4): its place is looked for where the removal has been done. */
const transferred = (
  document: unknown,
  { op, from, path }: Extract<PatchOperation, { readonly from: string }>,
): E.Either<Reason, unknown> => {
  const found = find(document, from);
  if (found === undefined) return missing('from', from);
  if (op === 'move' && path.startsWith(`${from}/`)) {
    return E.left({ name: 'path', reason: 'lies inside of what is moved' });
  }
  return pipe(
    op === 'move' ? applied(document, { op: 'remove', path: from }) : E.right(document),
    E.chain((place) => applyOne(place, { op: 'add', path, value: found.value })),
  );
};

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const missing = (name: string, pointer: string): E.Either<Reason, never> =>
  E.left({ name, reason: `${pointer} does not exist` });

const tokensOf = (pointer: string): ReadonlyArray<string> => pointer.split('/').slice(1).map(unescaped);

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** What stands somewhere in a document; null may. */
interface Found {
  readonly value: unknown;
}

const find = (document: unknown, pointer: string): Found | undefined =>
  tokensOf(pointer).reduce<Found | undefined>(
    (place, token) => (place === undefined ? undefined : member(place.value, token)),
    { value: document },
  );

/** Whether the last token of `pointer` can be added: its parent exists, and an array has no gap before it. */
const canHold = (document: unknown, pointer: string): boolean => {
  if (pointer === '') return true;
  const cut = pointer.lastIndexOf('/');
  const parent = find(document, pointer.slice(0, cut))?.value;
  const token = unescaped(pointer.slice(cut + 1));
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
