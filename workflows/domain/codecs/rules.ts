import * as t from 'io-ts';
import type { Codec, JsonSchema } from './codec';

/** `of` with what a schema can state of its rules between members; it decodes as before. */
export const ruled = <A>(of: Codec<A>, rules: ReadonlyArray<JsonSchema>): Codec<A> =>
  Object.assign(new t.Type<A, unknown>(of.name, of.is, of.validate, of.encode), {
    schema: { ...of.schema, allOf: rules },
  });

/** The rule that the member `name` is there, by `schema`, which must not accept `null`: that is as good as absent. */
export const present = (name: string, schema: JsonSchema): JsonSchema => ({
  required: [name],
  properties: { [name]: schema },
});

/** The rule that the member `name` is not there. */
export const absent = (name: string): JsonSchema => ({ properties: { [name]: { type: 'null' } } });
