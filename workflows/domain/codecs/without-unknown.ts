import { isRecord, type JsonSchema } from '.';

/** `value` without the properties that `schema` does not name, at every level: what a later release added is passed over. */
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
