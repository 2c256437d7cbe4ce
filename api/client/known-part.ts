import { isRecord, type JsonSchema } from '../../workflows/domain/codecs';

/** What `schema` knows of `value`: a later release may answer more, and a client passes over what it does not know. */
export const knownPart = (schema: JsonSchema, value: unknown): unknown => {
  const { items, properties } = schema;
  if (isRecord(items) && Array.isArray(value)) return value.map((item) => knownPart(items, item));
  if (!isRecord(properties) || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, of]) =>
      Object.hasOwn(value, name) && isRecord(of) ? [[name, knownPart(of, value[name])]] : [],
    ),
  );
};
