import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import {
  array,
  below,
  codec,
  decode,
  described,
  fault,
  fromText,
  isRecord,
  json,
  jsonBytes,
  object,
  refine,
  withoutUnknown,
  type Codec,
  type JsonSchema,
  type Reason,
} from '../codecs';
import { canonical } from '../digest';
import { DOCUMENT_BYTES, PATCH_BYTES, PATCH_OPERATIONS } from '../limits';
import { bandNamed, bandsNamed, SHOWN_NAME, thresholdNamed } from './band';
import { storedThreshold, thresholdView, type Threshold } from './threshold';

/** One operation of a JSON Patch (RFC 6902), with just the members that it needs. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }
  | { readonly op: 'remove'; readonly path: string };

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/u;

const pointer = fromText(
  'JSON Pointer',
  { format: 'json-pointer' },
  (input) => (POINTER.test(input) ? input : undefined),
  'must be a JSON Pointer, such as /overall/innerHigh',
);
const path = described(
  pointer,
  'Where, as a JSON Pointer into what GET shows: `/overall/innerHigh`. Everything but `/nodeId`.',
);
const from = described(pointer, 'What is moved or copied.');
const value = described(json, 'What is put there, or compared with: any JSON.');

const withValue = object('operation', { path, value }, {});
const withFrom = object('operation', { from, path }, {});
/** The members that an operation needs, by its name. */
const needs = {
  ...{ add: withValue, replace: withValue, test: withValue },
  ...{ move: withFrom, copy: withFrom },
  remove: object('operation', { path }, {}),
};

const isOp = (op: unknown): op is PatchOperation['op'] => typeof op === 'string' && Object.hasOwn(needs, op);

/** Other members are ignored. */
const schemaOf = (
  ops: ReadonlyArray<PatchOperation['op']>,
  members: Readonly<Record<string, { readonly schema: JsonSchema }>>,
): JsonSchema => ({
  type: 'object',
  required: ['op', ...Object.keys(members)],
  properties: {
    op: { type: 'string', enum: ops, description: 'What to do at `path`.' },
    ...Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
  },
});
const anyOf = [
  schemaOf(['add', 'replace', 'test'], { path, value }),
  schemaOf(['move', 'copy'], { path, from }),
  schemaOf(['remove'], { path }),
];

const operation: Codec<PatchOperation> = codec('patch operation', { anyOf }, (input, context) => {
  if (!isRecord(input)) return t.failures([fault(input, context, 'must be an object')]);
  const { op } = input;
  if (!isOp(op)) {
    return t.failures([fault(op, below(context, 'op'), `must be one of ${Object.keys(needs).join(', ')}`)]);
  }
  const members: t.Decoder<unknown, object> & { readonly schema: JsonSchema } = needs[op];
  return pipe(
    members.validate(withoutUnknown(members.schema, input), context),
    E.map((decoded) => ({ op, ...decoded }) as PatchOperation), // by the codec of `op`
  );
});

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

/** A document that is being patched, under the name by which every pointer begins: so it has a parent as all in it has. */
interface Root {
  '': unknown;
}

/**
 * `document` with all of `operations` applied, or the first that does not apply and why. Neither of them is changed.
 *
 * A copy of the document is changed in place, which a patch of many operations on a large one needs. Libraries let more
 * through: inherited names as paths, indices with leading zeros, a move into its own child, copies that grow without end.
 */
export const applyOperations = (
  document: unknown,
  operations: ReadonlyArray<PatchOperation>,
): E.Either<Reason, unknown> => {
  const root: Root = { '': copyOf(document) };
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    if (operation.op === 'copy') copied += jsonBytes(find(root, operation.from) ?? null);
    const reason = copied > MOST_COPIED ? tooLarge : apply(root, operation);
    if (reason !== undefined) return E.left({ ...reason, name: `${index}.${reason.name}` });
  }
  return E.right(root['']);
};

const tooLarge: Reason = { name: 'path', reason: 'makes the threshold too large' };

/** Applies `operation`, or tells why it does not apply; `root` is not used any more then. */
const apply = (root: Root, operation: PatchOperation): Reason | undefined => {
  const { op, path } = operation;
  switch (op) {
    case 'add':
      return put(root, path, copyOf(operation.value));
    case 'remove':
      return take(root, path) === undefined ? missing('path', path) : undefined;
    case 'replace':
      return take(root, path) === undefined ? missing('path', path) : put(root, path, copyOf(operation.value));
    case 'test': {
      const found = find(root, path);
      if (found === undefined) return missing('path', path);
      const isEqual = canonical(found) === canonical(operation.value);
      return isEqual ? undefined : { name: 'value', reason: `differs from the current value of ${path}` };
    }
    case 'copy': {
      const found = find(root, operation.from);
      return found === undefined ? missing('from', operation.from) : put(root, path, copyOf(found));
    }
    case 'move': {
      // A move removes, then adds (RFC 6902, section 4.4): its place is looked for where the removal has been done.
      const taken = take(root, operation.from);
      if (taken === undefined) return missing('from', operation.from);
      const isOwnChild = path.startsWith(`${operation.from}/`);
      return isOwnChild ? { name: 'path', reason: 'lies inside of what is moved' } : put(root, path, taken);
    }
  }
};

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const missing = (name: string, pointer: string): Reason => ({ name, reason: `${pointer} does not exist` });

/** What stands at `pointer`; undefined where nothing does. */
const find = (root: Root, pointer: string): unknown => pointer.split('/').map(unescaped).reduce<unknown>(member, root);

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

const parentOf = (root: Root, pointer: string): { readonly parent: unknown; readonly token: string } => {
  const cut = pointer.lastIndexOf('/');
  return { parent: cut < 0 ? root : find(root, pointer.slice(0, cut)), token: unescaped(pointer.slice(cut + 1)) };
};

/** Puts `value` where `pointer` names a place: its parent exists, and an array has no gap before it. */
const put = (root: Root, pointer: string, value: unknown): Reason | undefined => {
  const { parent, token } = parentOf(root, pointer);
  if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : indexOf(token);
    if (!(index <= parent.length)) return missing('path', pointer);
    parent.splice(index, 0, value);
    return undefined;
  }
  if (!isRecord(parent) || token in {}) return missing('path', pointer);
  Object.assign(parent, { [token]: value });
  return undefined;
};

/** Takes away what stands at `pointer`; undefined where nothing does. */
const take = (root: Root, pointer: string): unknown => {
  const { parent, token } = parentOf(root, pointer);
  const taken = member(parent, token);
  if (parent === root) root[''] = null;
  else if (Array.isArray(parent) && taken !== undefined) parent.splice(Number(token), 1);
  else if (isRecord(parent)) Reflect.deleteProperty(parent, token);
  return taken;
};

const indexOf = (token: string): number => (/^(?:0|[1-9]\d*)$/u.test(token) ? Number(token) : NaN);

/** An own member: what is inherited is missing, and `__proto__` even where a document names it. */
const member = (place: unknown, token: string): unknown => {
  if (Array.isArray(place)) return place[indexOf(token)];
  return isRecord(place) && Object.hasOwn(place, token) && !(token in {}) ? place[token] : undefined;
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
