/**
 * A digest of a JSON value: 16 hex digits that differ when the values differ, whatever the order of properties.
 *
 * It tells a repeat from another request of the same caller under the same id; it is no defence against a caller who
 * forges a collision with itself. Two multiplicative 32-bit hashes over the canonical JSON text.
 */
export const digest = (value: unknown): string => {
  const text = canonical(value);
  let one = 0x811c9dc5;
  let two = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul((two ^ unit) + (two << 5), 0x85ebca6b) ^ (two >>> 13);
  }
  return hex(settle(one ^ text.length)) + hex(settle(two));
};

/** JSON with the properties of every object in order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

const settle = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
};

const hex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0');
