import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import {
  contextBelow,
  codec,
  validationError,
  MOST_REASONS,
  reasonIf,
  type Codec,
  type JsonSchema,
  type Reasons,
} from './codec';

type AnyCodec = t.Mixed & { readonly schema: JsonSchema };
type Fields = Readonly<Record<string, AnyCodec>>;
type Shape<R extends Fields, O extends Fields> = Flat<
  { readonly [K in keyof R]: t.TypeOf<R[K]> } & { readonly [K in keyof O]?: t.TypeOf<O[K]> }
>;
type Flat<A> = { [K in keyof A]: A[K] };

/** An object with only these properties. An optional one that is `null` counts as absent, and is not in the decoded value. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- no optional property
export const object = <R extends Fields, O extends Fields = Record<never, never>>(
  name: string,
  required: R,
  optional = {} as O,
): Codec<Shape<R, O>> => {
  const fields = Object.entries<AnyCodec>({ ...required, ...optional });
  const properties = Object.fromEntries(fields.map(([key, of]) => [key, of.schema]));
  const isRequired = (key: string): boolean => Object.hasOwn(required, key);
  const schema = {
    title: name,
    type: 'object',
    ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
    properties,
    additionalProperties: false,
  };
  return codec(name, schema, (input, context) => {
    if (!isRecord(input)) return t.failure(input, context, 'must be an object');
    const errors: t.ValidationError[] = [];
    for (const key of Object.keys(input)) {
      if (Object.hasOwn(properties, key)) continue;
      errors.push(validationError(input[key], contextBelow(context, key), 'is not a known property'));
      if (errors.length >= MOST_REASONS) break;
    }
    const decoded: Record<string, unknown> = {};
    for (const [key, of] of fields) {
      const value = Object.hasOwn(input, key) ? input[key] : undefined;
      if (value === undefined || (value === null && !isRequired(key))) {
        if (isRequired(key)) errors.push(validationError(value, contextBelow(context, key), 'is required'));
        continue;
      }
      const member = of.validate(value, context);
      if (E.isLeft(member)) append(errors, context, key, member.left);
      else decoded[key] = member.right;
    }
    return errors.length > 0 ? t.failures(errors) : t.success(decoded as Shape<R, O>);
  });
};

export const partial = <O extends Fields>(name: string, optional: O) => object(name, {}, optional);

export const array = <A>(item: Codec<A>, most: number): Codec<ReadonlyArray<A>> =>
  codec(`array of ${item.name}`, { type: 'array', items: item.schema, maxItems: most }, (input, context) => {
    if (!Array.isArray(input)) return t.failure(input, context, 'must be an array');
    if (input.length > most) return t.failure(input, context, `must have at most ${most} items`);
    const errors: t.ValidationError[] = [];
    const items: A[] = [];
    for (const [index, value] of input.entries()) {
      const decoded = item.validate(value, context);
      if (E.isLeft(decoded)) append(errors, context, String(index), decoded.left);
      else items.push(decoded.right);
      if (errors.length >= MOST_REASONS) break;
    }
    return errors.length > 0 ? t.failures(errors) : t.success(items);
  });

/**
 * Adds the faults found in the member `key` to `errors`, up to `MOST_REASONS`. It adds them one by one, because a hostile body
 * may have more faults than a call can have arguments. Only faults get a path: to make one for every line of a spectrum would
 * take most of the time.
 */
const append = (errors: t.ValidationError[], context: t.Context, key: string, found: t.Errors): void => {
  const place = contextBelow(context, key);
  for (const error of found.slice(0, Math.max(0, MOST_REASONS - errors.length)))
    errors.push({ ...error, context: [...place, ...error.context.slice(context.length)] });
};

/** Any JSON value that nests at most `DEEPEST` levels, so that no recursion over it runs out of stack. */
export const json: Codec<unknown> = codec('any value', {}, (input, context) =>
  nests(input, DEEPEST) ? t.success(input) : t.failure(input, context, `must nest at most ${DEEPEST} levels`),
);

export const openObject = (mostBytes: number): Codec<Readonly<Record<string, unknown>>> =>
  codec('object', { type: 'object', additionalProperties: true }, (input, context) => {
    if (!isRecord(input)) return t.failure(input, context, 'must be an object');
    if (!nests(input, DEEPEST)) return t.failure(input, context, `must nest at most ${DEEPEST} levels`);
    return jsonBytes(input) <= mostBytes
      ? t.success(input)
      : t.failure(input, context, `must be at most ${mostBytes} bytes as JSON`);
  });

const DEEPEST = 32;

const nests = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => nests(member, levels - 1)));

/** Whether `value` is a JSON object: neither an array nor null. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Size of a JSON value: number of values (itself included); characters of texts and names; most members of any one object. */
export interface Size {
  readonly values: number;
  readonly characters: number;
  readonly members: number;
}

/** The size of `value`, at any depth. Counting stops beyond `mostValues` in all, or beyond `mostMembers` in one object. */
export const sizeOf = (value: unknown, mostValues = Infinity, mostMembers = Infinity): Size => {
  const open: unknown[] = [value];
  let [values, characters, members] = [0, 0, 0];
  while (open.length > 0 && values <= mostValues && members <= mostMembers) {
    const next = open.pop();
    values += 1;
    if (typeof next === 'string') characters += next.length;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isRecord(next)) {
      const names = Object.keys(next);
      members = Math.max(members, names.length);
      if (members > mostMembers) values += members;
      else
        for (const name of names) {
          characters += name.length;
          open.push(next[name]);
        }
    }
  }
  return { values, characters, members };
};

export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** The fault of the member `name` if its `value` has more than `mostBytes` as JSON. */
export const tooLarge = (name: string, value: unknown, mostBytes: number): Reasons =>
  reasonIf(jsonBytes(value) > mostBytes, name, `must be at most ${mostBytes} bytes as JSON`);

/** Removes the properties that `schema` does not name, at every level of `value`, such as those that a later release added. */
export const withoutUnknown = (schema: JsonSchema, value: unknown): unknown => {
  const { items, properties } = schema;
  if (Array.isArray(value)) return isRecord(items) ? value.map((item) => withoutUnknown(items, item)) : value;
  if (!isRecord(value) || !isRecord(properties)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return isRecord(known) ? [[key, withoutUnknown(known, member)]] : [];
    }),
  );
};
