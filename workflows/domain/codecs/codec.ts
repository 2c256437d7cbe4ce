import * as E from 'fp-ts/Either';
import * as t from 'io-ts';

/** JSON Schema (draft 2020-12) of what a codec accepts. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An io-ts codec that also knows its JSON Schema: the OpenAPI document and test data come from the value that decodes. */
export interface Codec<A> extends t.Type<A, unknown> {
  readonly schema: JsonSchema;
}

export type TypeOf<C extends t.Mixed> = t.TypeOf<C>;

/** A fault of an input: where (dotted path, empty for the whole) and why. */
export interface Reason {
  readonly name: string;
  readonly reason: string;
}

export type Reasons = ReadonlyArray<Reason>;

/** The fault of the member `name`, where it is `wrong`. */
export const reasonIf = (wrong: boolean, name: string, reason: string): Reasons => (wrong ? [{ name, reason }] : []);

/** More faults than this are not listed, and longer names and texts are cut: an answer stays small whatever came in. */
export const MOST_REASONS = 1_000;
export const REASON_NAME_LENGTH = 256;
export const REASON_LENGTH = 1_024;

export const listed = (reasons: Reasons): Reasons =>
  reasons.slice(0, MOST_REASONS).map(({ name, reason }) => ({
    name: shortened(name, REASON_NAME_LENGTH),
    reason: shortened(reason, REASON_LENGTH),
  }));

/** Decodes `input`, or lists every fault found, each with its dotted path. */
export const decode = <A>(codec: t.Decoder<unknown, A>, input: unknown): E.Either<Reasons, A> =>
  E.mapLeft((errors: t.Errors) => listed(errors.slice(0, MOST_REASONS).map(placed)))(codec.decode(input));

const placed = (error: t.ValidationError): Reason => ({
  name: error.context
    .map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.'),
  reason: error.message ?? 'is not valid',
});

/** Builds a codec from its validation; encoding is the identity, since what is decoded is plain JSON. */
export const codec = <A>(name: string, schema: JsonSchema, validate: t.Validate<unknown, A>): Codec<A> =>
  Object.assign(new t.Type<A, unknown>(name, (u): u is A => E.isRight(validate(u, [])), validate, t.identity), {
    schema,
  });

/** A codec of values that `read` takes, and gives as they are kept; undefined is refused, for one `reason`. */
export const scalar = <A>(
  name: string,
  schema: JsonSchema,
  read: (input: unknown) => A | undefined,
  reason: string,
): Codec<A> =>
  codec(name, schema, (input, context) => {
    const value = read(input);
    return value === undefined ? t.failure(input, context, reason) : t.success(value);
  });

export const fromText = <A>(
  name: string,
  schema: JsonSchema,
  read: (input: string) => A | undefined,
  reason: string,
): Codec<A> =>
  scalar(name, { type: 'string', ...schema }, (input) => (typeof input === 'string' ? read(input) : undefined), reason);

/** `of`, then `next`, which turns its value into another shape or names each fault by its path inside it; `given` is what came. */
export const chained = <A, B>(of: Codec<A>, next: (value: A, given: unknown) => E.Either<Reasons, B>): Codec<B> =>
  codec(of.name, of.schema, (input, context) => {
    const decoded = of.validate(input, context);
    if (E.isLeft(decoded)) return decoded;
    return E.mapLeft((found: Reasons) =>
      found.slice(0, MOST_REASONS).map(({ name, reason }) => fault(input, below(context, name), reason)),
    )(next(decoded.right, input));
  });

/** `of` with rules that its shape cannot state; `faults` names each fault by its path inside the value. */
export const refine = <A>(of: Codec<A>, faults: (value: A, given: unknown) => Reasons): Codec<A> =>
  chained(of, (value, given) => {
    const found = faults(value, given);
    return found.length === 0 ? E.right(value) : E.left(found);
  });

export const mapped = <A, B>(of: Codec<A>, change: (value: A) => B): Codec<B> =>
  codec(of.name, of.schema, (input, context) => E.map(change)(of.validate(input, context)));

/** `of` with `notes` in its schema, such as what it can state of rules between members. It decodes as before, at no cost. */
export const noted = <A>(of: Codec<A>, notes: JsonSchema): Codec<A> =>
  Object.assign(new t.Type<A, unknown>(of.name, of.is, of.validate, of.encode), { schema: { ...of.schema, ...notes } });

/** `of` with what the documents say of it. */
export const described = <A>(of: Codec<A>, description: string): Codec<A> => noted(of, { description });

export const fault = (value: unknown, context: t.Context, message: string): t.ValidationError => ({
  value,
  context,
  message,
});

/** The context of the member `path` (dotted) below `context`. */
export const below = (context: t.Context, path: string): t.Context =>
  path === '' ? context : t.appendContext(context, path, t.unknown);

/** The rule that the member `name` is there, by `schema`, which must not accept `null`: that is as good as absent. */
export const present = (name: string, schema: JsonSchema): JsonSchema => ({
  required: [name],
  properties: { [name]: schema },
});

/** A rule between members. It stands in the `then` of an empty `if`: OpenAPI Generator takes `allOf` and `anyOf` for parents. */
export const rule = (schema: JsonSchema): JsonSchema => ({ if: {}, then: schema });

export const absent = (name: string): JsonSchema => ({ properties: { [name]: { type: 'null' } } });

/** `text`, or as much of it as `longest` UTF-16 units hold, with an ellipsis at its end; no character is cut in two. */
export const shortened = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
