import { applyOperation, type Operation } from 'fast-json-patch';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import * as c from '../codecs';
import { COPIED_BYTES, PATCH_BYTES, PATCH_OPERATIONS } from '../limits';
import { bandNamed, bandsNamed, SHOWN_NAME, thresholdNamed } from './band';
import { storedThreshold, thresholdView, type Threshold } from './threshold';

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/u;

const pointer = c.fromText(
  'JSON Pointer',
  { format: 'json-pointer' },
  (input) => (POINTER.test(input) ? input : undefined),
  'must be a JSON Pointer, such as /overall/innerHigh',
);
const path = c.described(
  pointer,
  'Where, as a JSON Pointer into what GET shows: `/overall/innerHigh`. Everything but `/nodeId`.',
);
const from = c.described(pointer, 'What is moved or copied.');
const value = c.described(c.json, 'What is put there, or compared with: any JSON.');

const opOf = <const Op extends string>(name: string, ops: ReadonlyArray<Op>) =>
  c.described(c.oneOf(name, ops), 'What to do at `path`.');
const setting = opOf('SettingOp', ['add', 'replace', 'test']);
const moving = opOf('MovingOp', ['move', 'copy']);
const removing = opOf('RemovingOp', ['remove']);
/** The operations, grouped by the members that they need. */
const forms = [
  { op: setting, shape: c.object('SettingOperation', { op: setting, path, value }) },
  { op: moving, shape: c.object('MovingOperation', { op: moving, from, path }) },
  { op: removing, shape: c.object('RemovingOperation', { op: removing, path }) },
] as const;

/** One operation of a JSON Patch (RFC 6902), with only the members that the operation needs. */
export type PatchOperation = c.TypeOf<(typeof forms)[number]['shape']>;
type Patch = ReadonlyArray<PatchOperation>;

const anyOf = forms.map(({ shape: { schema } }) => {
  const { additionalProperties: _, ...open } = schema;
  return open;
});
const operation: c.Codec<PatchOperation> = c.codec('patch operation', { anyOf }, (input, context) => {
  if (!c.isRecord(input)) return t.failure(input, context, 'must be an object');
  const form = forms.find(({ op }) => op.is(input['op']));
  return form === undefined
    ? t.failure(input['op'], c.contextBelow(context, 'op'), 'must be one of add, replace, test, move, copy, remove')
    : form.shape.validate(c.withoutUnknown(form.shape.schema, input), context);
});

/** A JSON Patch of at most `most` operations and `PATCH_BYTES`. Unknown members of operations are ignored (RFC 6902, section 4). */
export const patchOperations = (most: number = PATCH_OPERATIONS): c.Codec<Patch> =>
  c.refine(c.array(operation, most), (operations) => c.tooLarge('', operations, PATCH_BYTES));

/**
 * Patches `threshold` of the node `nodeId`, as the document that GET shows. All operations are applied, or none.
 *
 * Errors: a reason when an operation does not apply, the node id would change, or the result is no valid threshold.
 * Source: spec, "PATCH /v1/point-alarm-threshold/{nodeId}"; RFC 6902.
 */
export const applyPatch = (nodeId: string, threshold: Threshold, operations: Patch): E.Either<c.Reasons, Threshold> =>
  pipe(
    applyOperations(thresholdView(nodeId, threshold), operations.map(inShownNames)),
    E.mapLeft((reason): c.Reasons => [reason]),
    E.chain((document) => c.decode(storedThreshold, document)),
    E.chain(({ nodeId: patchedId, ...left }) =>
      patchedId === nodeId ? E.right(left) : E.left([{ name: 'nodeId', reason: 'cannot be changed' }]),
    ),
  );

/**
 * Applies all of `operations` to `document`, or returns the first that does not apply and why. Refuses what fast-json-patch
 * lets through: inherited names, indices with leading zeros, a move into its own child, copies that grow without end.
 *
 * Document and operations are copied once, and then the copies are changed in place. So the cost of an operation does not
 * depend on the size of what it moves.
 */
export const applyOperations = (document: unknown, operations: Patch): E.Either<c.Reason, unknown> => {
  let patched = copyOf(document);
  let copied = 0;
  for (const [index, operation] of copyOf(operations).entries()) {
    if (operation.op === 'copy') copied += bytesOf(find(patched, operation.from));
    const applied = copied > COPIED_BYTES ? tooMuch : applyOne(patched, operation);
    if (E.isLeft(applied)) return E.left({ ...applied.left, name: `${index}.${applied.left.name}` });
    patched = applied.right;
  }
  return E.right(patched);
};

/** Bytes of `value` as JSON; 0 if it nests too deep, because `transferred` then refuses to copy it. */
const bytesOf = (value: unknown): number => (value !== undefined && c.json.is(value) ? c.jsonBytes(value) : 0);

const tooDeep: E.Either<c.Reason, never> = E.left({ name: 'from', reason: 'nests too deep to be copied' });
const tooMuch: E.Either<c.Reason, never> = E.left({ name: 'path', reason: 'makes the threshold too large' });

/** Applies `operation` to `document`. The operation's value becomes part of the document without a copy. */
const applyOne = (document: unknown, operation: PatchOperation): E.Either<c.Reason, unknown> => {
  const { op, path } = operation;
  switch (op) {
    case 'add':
      return canHold(document, path) ? E.right(applied(document, operation)) : missing('path', path);
    case 'remove':
    case 'replace':
      return find(document, path) === undefined ? missing('path', path) : E.right(applied(document, operation));
    case 'test':
      return find(document, path) === undefined ? missing('path', path) : tested(document, operation);
    case 'move':
    case 'copy':
      return transferred(document, operation);
  }
};

/** Skips the library's own validation, which walks the whole value. Faulty operations have been refused before. */
const applied = (document: unknown, operation: PatchOperation): unknown =>
  applyOperation<unknown>(document, operation as Operation).newDocument;

/** Applies a `test`. The library throws if the values differ. */
const tested = (document: unknown, operation: PatchOperation): E.Either<c.Reason, unknown> =>
  E.tryCatch(
    () => applied(document, operation),
    () => ({ name: 'value', reason: `differs from the current value of ${operation.path}` }),
  );

/** A move removes, then adds (RFC 6902, section 4.4). So its target is looked for in the document after the removal. */
const transferred = (
  document: unknown,
  { op, from, path }: Extract<PatchOperation, { readonly from: string }>,
): E.Either<c.Reason, unknown> => {
  const value = find(document, from);
  if (value === undefined) return missing('from', from);
  if (op === 'copy') return c.json.is(value) ? applyOne(document, { op: 'add', path, value: copyOf(value) }) : tooDeep;
  return path.startsWith(`${from}/`)
    ? E.left({ name: 'path', reason: 'lies inside of what is moved' })
    : applyOne(applied(document, { op: 'remove', path: from }), { op: 'add', path, value });
};

const copyOf = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A;

const missing = (name: string, pointer: string): E.Either<c.Reason, never> =>
  E.left({ name, reason: `${pointer} does not exist` });

const tokensOf = (pointer: string): ReadonlyArray<string> => pointer.split('/').slice(1).map(unescaped);

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The value at `pointer`; undefined if there is none. */
const find = (document: unknown, pointer: string): unknown => tokensOf(pointer).reduce<unknown>(member, document);

/** Whether a value can be added at `pointer`: the parent exists, and if it is an array, no gap would arise. */
const canHold = (document: unknown, pointer: string): boolean => {
  if (pointer === '') return true;
  const cut = pointer.lastIndexOf('/');
  const parent = find(document, pointer.slice(0, cut));
  const token = unescaped(pointer.slice(cut + 1));
  if (Array.isArray(parent)) return token === '-' || (INDEX.test(token) && Number(token) <= parent.length);
  return c.isRecord(parent) && !(token in {});
};

const INDEX = /^(?:0|[1-9]\d*)$/u;

/** The own member `token` of `place`. Names that every object inherits count as missing, even if a document has them. */
const member = (place: unknown, token: string): unknown => {
  if (Array.isArray(place)) return INDEX.test(token) ? place[Number(token)] : undefined;
  return c.isRecord(place) && Object.hasOwn(place, token) && !(token in {}) ? place[token] : undefined;
};

/** `operation` with the name that the service uses for bands' limits. Callers may use either name, in pointers and values. */
const inShownNames = (operation: PatchOperation): PatchOperation => {
  const path = shownPointer(operation.path);
  if ('from' in operation) return { ...operation, path, from: shownPointer(operation.from) };
  return 'value' in operation
    ? { ...operation, path, value: shownValue(path, operation.value) }
    : { ...operation, path };
};

const shownPointer = (pointer: string): string =>
  pointer.replace(/^(\/bandAlarms\/[^/]+)\/overallThreshold(?=\/|$)/u, `$1/${SHOWN_NAME}`);

const shownValue = (path: string, value: unknown): unknown => {
  if (path === '') return thresholdNamed(SHOWN_NAME, value);
  if (path === '/bandAlarms') return bandsNamed(SHOWN_NAME, value);
  return /^\/bandAlarms\/[^/]+$/u.test(path) ? bandNamed(SHOWN_NAME, value) : value;
};
