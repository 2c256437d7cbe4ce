export const DIGEST_LENGTH = 12;

/**
 * A digest of a JSON value, independent of the order of properties: two multiplicative 32-bit hashes. It distinguishes a repeat
 * from another request of the same caller. It is no defence against callers who forge a collision of their own requests.
 */
export const digest = (value: unknown): string => {
  const [one, two] = hashesOf(canonical(value));
  return written(one) + written(two);
};

/** A number from 0 to below 1 that depends on `text` alone. The numbers of many texts are spread evenly. */
export const fractionOf = (text: string): number => (hashesOf(text)[0] >>> 0) / 2 ** 32;

const hashesOf = (text: string): readonly [number, number] => {
  let one = 0x811c9dc5;
  let two = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul((two ^ unit) + (two << 5), 0x85ebca6b) ^ (two >>> 13);
  }
  return [mixed(one ^ text.length), mixed(two)];
};

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

const mixed = (hash: number): number => {
  const product = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return product ^ (product >>> 15);
};

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const written = (hash: number): string =>
  [30, 24, 18, 12, 6, 0].map((shift) => DIGITS.charAt((hash >>> shift) & 63)).join('');
