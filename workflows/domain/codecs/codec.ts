import * as E from 'fp-ts/Either';
import * as t from 'io-ts';

/** JSON Schema (draft 2020-12) of what a codec accepts. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An io-ts codec with a JSON Schema, so that the OpenAPI document and test data come from the value that decodes. */
export interface Codec<A> extends t.Type<A, unknown> {
  readonly schema: JsonSchema;
}

export type TypeOf<C extends t.Mixed> = t.TypeOf<C>;

/** A fault of an input: where it is (`name`, a dotted path, empty for the whole input) and what is wrong (`reason`). */
export interface Reason {
  readonly name: string;
  readonly reason: string;
}

export type Reasons = ReadonlyArray<Reason>;

export const reasonInWords = ({ name, reason }: Reason): string => (name === '' ? reason : `${name} ${reason}`);

export const reasonsInWords = (reasons: Reasons): string => reasons.map(reasonInWords).join('; ');

/** The fault of the member `name` if it is `wrong`; else none. */
export const reasonIf = (wrong: boolean, name: string, reason: string): Reasons => (wrong ? [{ name, reason }] : []);

/** Most faults in an answer, and the lengths to which names and reasons are cut: an answer stays small, whatever came in. */
export const MOST_REASONS = 1_000;
export const REASON_NAME_LENGTH = 256;
export const REASON_LENGTH = 1_024;

export const boundedReasons = (reasons: Reasons): Reasons =>
  reasons.slice(0, MOST_REASONS).map(({ name, reason }) => ({
    name: shortened(name, REASON_NAME_LENGTH),
    reason: shortened(reason, REASON_LENGTH),
  }));

/** Decodes `input`, or lists every fault found, each with its dotted path. */
export const decode = <A>(codec: t.Decoder<unknown, A>, input: unknown): E.Either<Reasons, A> =>
  E.mapLeft((errors: t.Errors) => boundedReasons(errors.slice(0, MOST_REASONS).map(placed)))(codec.decode(input));

const placed = (error: t.ValidationError): Reason => ({
  name: error.context
    .map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.'),
  reason: error.message ?? 'is not valid',
});

/** Builds a codec from its validation. Encoding returns the value unchanged, because a decoded value is plain JSON. */
export const codec = <A>(name: string, schema: JsonSchema, validate: t.Validate<unknown, A>): Codec<A> =>
  Object.assign(new t.Type<A, unknown>(name, (u): u is A => E.isRight(validate(u, [])), validate, t.identity), {
    schema,
  });

/** Builds a codec from `read`, which returns the decoded value, or undefined to have the input refused with `reason`. */
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

/** Decodes by `of`, then by `next`, which converts the value or names its faults. `given` is the input before decoding. */
export const chained = <A, B>(of: Codec<A>, next: (value: A, given: unknown) => E.Either<Reasons, B>): Codec<B> =>
  codec(of.name, of.schema, (input, context) => {
    const decoded = of.validate(input, context);
    if (E.isLeft(decoded)) return decoded;
    return E.mapLeft((found: Reasons) =>
      found
        .slice(0, MOST_REASONS)
        .map(({ name, reason }) => validationError(input, contextBelow(context, name), reason)),
    )(next(decoded.right, input));
  });

/** Adds to `of` rules that its shape cannot state. `faults` returns each fault with its path inside the value. */
export const refine = <A>(of: Codec<A>, faults: (value: A, given: unknown) => Reasons): Codec<A> =>
  chained(of, (value, given) => {
    const found = faults(value, given);
    return found.length === 0 ? E.right(value) : E.left(found);
  });

export const mapped = <A, B>(of: Codec<A>, change: (value: A) => B): Codec<B> =>
  codec(of.name, of.schema, (input, context) => E.map(change)(of.validate(input, context)));

/** Adds `notes` to the schema of `of`, such as rules between members. Decoding stays the same and costs no more. */
export const withSchemaNotes = <A>(of: Codec<A>, notes: JsonSchema): Codec<A> =>
  Object.assign(new t.Type<A, unknown>(of.name, of.is, of.validate, of.encode), { schema: { ...of.schema, ...notes } });

/** Adds a description to the schema of `of`, for OpenAPI and AsyncAPI. */
export const described = <A>(of: Codec<A>, description: string): Codec<A> => withSchemaNotes(of, { description });

export const validationError = (value: unknown, context: t.Context, message: string): t.ValidationError => ({
  value,
  context,
  message,
});

/** The io-ts context of the member at `path` (dotted) below `context`. */
export const contextBelow = (context: t.Context, path: string): t.Context =>
  path === '' ? context : t.appendContext(context, path, t.unknown);

/** A schema that demands a member `name` of the shape `schema`, which must not accept `null`, because `null` means absent. */
export const requiredMember = (name: string, schema: JsonSchema): JsonSchema => ({
  required: [name],
  properties: { [name]: schema },
});

/** A rule as the `then` of an `if` that always holds: OpenAPI Generator takes a bare `allOf` or `anyOf` for parent types. */
export const alwaysRule = (schema: JsonSchema): JsonSchema => ({ if: {}, then: schema });

export const forbiddenMember = (name: string): JsonSchema => ({ properties: { [name]: { type: 'null' } } });

/** Cuts `text` to at most `longest` UTF-16 units, with an ellipsis at the end. No character is cut in two. */
export const shortened = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
