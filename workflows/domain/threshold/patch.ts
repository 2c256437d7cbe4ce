import * as A from 'fp-ts/Array';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as R from 'fp-ts/Record';
import * as t from 'io-ts';
import {
  array,
  below,
  codec,
  fault,
  isRecord,
  json,
  jsonBytes,
  refine,
  type Codec,
  type JsonSchema,
  decode,
  type Reason,
} from '../codecs';
import { PATCH_BYTES, PATCH_OPERATIONS, DOCUMENT_BYTES } from '../limits';
import { storedThreshold, type Threshold, thresholdView } from './threshold';
import { applyOperation, type Operation } from 'fast-json-patch';
import { bandNamed, bandsNamed, SHOWN_NAME, thresholdNamed } from './band';

/** One operation of a JSON Patch (RFC 6902), with just the members that it needs. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }
  | { readonly op: 'remove'; readonly path: string };

/** The member that an operation needs besides its path. */
const needs = { add: 'value', replace: 'value', test: 'value', move: 'from', copy: 'from', remove: undefined } as const;

const isOp = (op: unknown): op is PatchOperation['op'] => typeof op === 'string' && Object.hasOwn(needs, op);

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/u;

const pointer: Codec<string> = codec('JSON Pointer', { type: 'string', format: 'json-pointer' }, (input, context) =>
  typeof input === 'string' && POINTER.test(input)
    ? t.success(input)
    : t.failures([fault(input, context, 'must be a JSON Pointer, such as /overall/innerHigh')]),
);

const path: JsonSchema = {
  ...pointer.schema,
  description: 'Where, as a JSON Pointer into what GET shows: `/overall/innerHigh`. Everything but `/nodeId`.',
};
const from: JsonSchema = { ...pointer.schema, description: 'What is moved or copied.' };
const value: JsonSchema = { description: 'What is put there, or compared with: any JSON.' };

/** Other members are ignored. */
const schemaOf = (
  ops: ReadonlyArray<keyof typeof needs>,
  members: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({
  type: 'object',
  required: ['op', ...Object.keys(members)],
  properties: { op: { type: 'string', enum: ops, description: 'What to do at `path`.' }, ...members },
});
const schema: JsonSchema = {
  anyOf: [
    schemaOf(['add', 'replace', 'test'], { path, value }),
    schemaOf(['move', 'copy'], { path, from }),
    schemaOf(['remove'], { path }),
  ],
};

const operation: Codec<PatchOperation> = codec('patch operation', schema, (input, context) => {
  if (!isRecord(input)) return t.failures([fault(input, context, 'must be an object')]);
  const { op } = input;
  if (!isOp(op)) {
    return t.failures([fault(op, below(context, 'op'), `must be one of ${Object.keys(needs).join(', ')}`)]);
  }
  const member = needs[op];
  const decoded: Readonly<Record<string, t.Validation<unknown>>> = {
    path: required(input, 'path', pointer, context),
    ...(member !== undefined && { [member]: required(input, member, member === 'from' ? pointer : json, context) }),
  };
  return pipe(
    together(decoded),
    E.map((members) => ({ op, ...members }) as PatchOperation),
  );
});

/** Every member, or the faults of all of them. */
const together = R.sequence(E.getApplicativeValidation(A.getSemigroup<t.ValidationError>()));

const required = (
  input: Readonly<Record<string, unknown>>,
  name: string,
  of: t.Mixed,
  context: t.Context,
): t.Validation<unknown> =>
  Object.hasOwn(input, name)
    ? of.validate(input[name], below(context, name))
    : t.failures([fault(undefined, below(context, name), 'is required')]);

/** A JSON Patch: at most `most` operations and 64 KiB. Members that an operation does not need are ignored (RFC 6902, section 4). */
export const patchOperations = (most: number = PATCH_OPERATIONS): Codec<ReadonlyArray<PatchOperation>> =>
  refine(array(operation, most), (operations) =>
    jsonBytes(operations) > PATCH_BYTES ? [{ name: '', reason: `must be at most ${PATCH_BYTES} bytes as JSON` }] : [],
  );

/**
 * `threshold` of `nodeId`, patched as the document that GET shows: all operations together, or none.
 *
 * Errors: a reason when an operation does not apply, the node id would change, or the result is no valid threshold.
 * Source: spec, "PATCH /v1/point-alarm-threshold/{nodeId}"; RFC 6902.
 */
export const applyPatch = (
  nodeId: string,
  threshold: Threshold,
  operations: ReadonlyArray<PatchOperation>,
): E.Either<ReadonlyArray<Reason>, Threshold> =>
  pipe(
    applyOperations(thresholdView(nodeId, threshold), operations.map(inShownNames)),
    E.mapLeft((reason): ReadonlyArray<Reason> => [reason]),
    E.chain((document) => decode(storedThreshold, document)),
    E.chain(({ nodeId: patchedId, ...left }) =>
      patchedId === nodeId ? E.right(left) : E.left([{ name: 'nodeId', reason: 'cannot be changed' }]),
    ),
  );

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

/** A place in a document, and what stands there; null may. */
interface Place {
  readonly value: unknown;
}

const find = (document: unknown, pointer: string): Place | undefined =>
  tokensOf(pointer).reduce<Place | undefined>(
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
const member = (place: unknown, token: string): Place | undefined => {
  if (Array.isArray(place))
    return INDEX.test(token) && Number(token) < place.length ? { value: place[Number(token)] } : undefined;
  return isRecord(place) && Object.hasOwn(place, token) && !(token in {}) ? { value: place[token] } : undefined;
};

/** `operation` in the names of the view: a band's limits may be called by either name, in pointers and in values. */
const inShownNames = (operation: PatchOperation): PatchOperation => {
  const path = shownPointer(operation.path);
  switch (operation.op) {
    case 'move':
    case 'copy':
      return { ...operation, path, from: shownPointer(operation.from) };
    case 'remove':
      return { ...operation, path };
    case 'add':
    case 'replace':
    case 'test':
      return { ...operation, path, value: shownValue(path, operation.value) };
  }
};

const shownPointer = (pointer: string): string =>
  pointer.replace(/^(\/bandAlarms\/[^/]+)\/overallThreshold(?=\/|$)/u, `$1/${SHOWN_NAME}`);

const shownValue = (path: string, value: unknown): unknown => {
  if (path === '') return thresholdNamed(SHOWN_NAME, value);
  if (path === '/bandAlarms') return bandsNamed(SHOWN_NAME, value);
  return /^\/bandAlarms\/[^/]+$/u.test(path) ? bandNamed(SHOWN_NAME, value) : value;
};
