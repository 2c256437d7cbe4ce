/** Two numbers from 0 to below 1, for the random part of an id. */
export type Entropy = readonly [number, number];

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

export const ULID_LENGTH = TIME_DIGITS + RANDOM_DIGITS;

/** Whether a text is a ULID. The time in a ULID has 48 bits, so the first digit is at most 7. */
export const isUlid = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/u.test(text);

/**
 * The ULID after `previous` (github.com/ulid/spec): time of 48 bits, then 80 random bits, in Crockford's base 32. ULIDs rise
 * strictly: in the same millisecond, or after the clock was set back, `previous` is incremented.
 */
export const nextUlid = (previous: string, now: number, [high, low]: Entropy): string => {
  const fresh = base32(now, TIME_DIGITS) + base32(Math.floor(high * 2 ** 40), 8) + base32(Math.floor(low * 2 ** 40), 8);
  return fresh.slice(0, TIME_DIGITS) > previous.slice(0, TIME_DIGITS) ? fresh : increment(previous);
};

const base32 = (value: number, digits: number): string => {
  let rest = value;
  let text = '';
  while (text.length < digits) {
    text = DIGITS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/** Adds one to a ULID. If every random bit is set, the carry goes into the time. */
const increment = (ulid: string): string => {
  const kept = ulid.replace(/Z+$/u, '');
  const next = DIGITS.charAt(DIGITS.indexOf(kept.slice(-1)) + 1);
  return (kept.slice(0, -1) + next).padEnd(ULID_LENGTH, '0');
};
