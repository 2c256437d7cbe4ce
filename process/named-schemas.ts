import { isRecord, type JsonSchema } from '../workflows/domain/codecs';

/** Schemas by their titles, as `components.schemas` of OpenAPI and AsyncAPI holds them. */
export type NamedSchemas = Record<string, JsonSchema>;

type Adapt = (schema: JsonSchema) => JsonSchema;

/** Adapts all schemas in `given`. Moves each schema with a title into `named`, and leaves a reference with its description. */
const referring = (given: unknown, named: NamedSchemas, adapt: Adapt): unknown => {
  if (Array.isArray(given)) return given.map((item: unknown) => referring(item, named, adapt));
  if (!isRecord(given)) return given;
  const members = Object.fromEntries(
    Object.entries(adapt(given)).map(([name, member]) => [name, referring(member, named, adapt)]),
  );
  const { title, description, ...schema } = members;
  if (typeof title !== 'string') return members;
  named[title] = schema;
  const reference = { $ref: `#/components/schemas/${title}` };
  // AsyncAPI allows nothing beside $ref, hence `allOf`. Without a title there, the generator Modelina numbers the type names.
  return description === undefined ? reference : { title, allOf: [reference], description };
};

/** The schema for programs that read: it allows unknown members, because a later release may add members. */
export const answerSchema = (schema: JsonSchema, named: NamedSchemas = {}): unknown =>
  referring(schema, named, (one) => {
    const { additionalProperties, ...open } = one;
    return additionalProperties === false ? open : one;
  });

/** The schema for programs that write: an optional property may be `null`, which means that the property is absent. */
export const bodySchema = (schema: JsonSchema, named: NamedSchemas = {}): unknown =>
  referring(schema, named, (one) => {
    const { title, properties, required = [], additionalProperties } = one;
    if (additionalProperties !== false || !isRecord(properties)) return one;
    const nullable = Object.entries(properties).map(([name, member]) => {
      const isRequired = Array.isArray(required) && required.includes(name);
      return [name, isRequired || !isRecord(member) ? member : orNull(member)];
    });
    return { ...one, title: `${String(title)}Input`, properties: Object.fromEntries(nullable) };
  });

const orNull = ({ description, ...schema }: JsonSchema): JsonSchema =>
  schema['title'] === undefined
    ? { ...schema, type: [schema['type'], 'null'], description }
    : { anyOf: [schema, { type: 'null' }], description };
