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
} from '../../codecs';
import { PATCH_BYTES, PATCH_OPERATIONS } from '../../limits';

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
