import { isRecord, type JsonSchema } from '../../../workflows/domain/codecs';
import type { OpenRoute } from '../../http/open/open-route';
import type { Documented, Route } from '../route';

/** Every schema that a body or an answer has, by its name. */
export const schemasOf = (
  routes: ReadonlyArray<Route>,
  openRoutes: ReadonlyArray<OpenRoute>,
): Readonly<Record<string, JsonSchema>> => {
  const bodies = routes.flatMap(({ body }) => (body === undefined ? [] : [[body.name, ofBody(body.schema)] as const]));
  const answers = [...routes, ...openRoutes]
    .flatMap(({ answers }) => Object.values(answers))
    .flatMap(({ codec }) => (codec === undefined ? [] : [[codec.name, codec.schema] as const]));
  return Object.fromEntries([...bodies, ...answers].sort(([one], [other]) => (one < other ? -1 : 1)));
};

/** `schema` as a body may be: `null` on an optional property means that it is absent. */
const ofBody = (schema: JsonSchema): JsonSchema => {
  const { items, properties, required = [] } = schema;
  return {
    ...schema,
    ...(isRecord(items) && { items: ofBody(items) }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => {
          const property = isRecord(member) ? ofBody(member) : {};
          return [name, Array.isArray(required) && required.includes(name) ? property : orNull(property)];
        }),
      ),
    }),
  };
};

const orNull = ({ type, enum: members, ...schema }: JsonSchema): JsonSchema => ({
  ...(type !== undefined && { type: [type, 'null'] }),
  ...(Array.isArray(members) && { enum: members.concat(null) }),
  ...schema,
});

export const reference = (
  kind: 'schemas' | 'headers' | 'parameters' | 'examples' | 'responses',
  name: string,
): { readonly $ref: string } => ({
  $ref: `#/components/${kind}/${name}`,
});

/** The schema of an answer; one without a codec is text, or a document that describes itself. */
export const schemaOfAnswer = ({ codec, mediaType }: Documented): JsonSchema => {
  if (codec !== undefined) return reference('schemas', codec.name);
  return mediaType === 'application/json' ? { type: 'object' } : { type: 'string' };
};
