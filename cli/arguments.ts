import { InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/Either';
import { decode, uuid } from '../workflows/domain/codecs';
import { Status, statusNames } from '../workflows/domain/alarm/status';

/** A node's id; kept in lower case, as the API answers it. */
export const node = (text: string): string => {
  const decoded = decode(uuid, withoutBraces(text));
  if (E.isLeft(decoded)) throw new InvalidArgumentError('A node is a UUID.');
  return decoded.right;
};

/** An id as Windows programs write it, `{3a1f…}`, without its braces. */
export const withoutBraces = (text: string): string => text.replace(/^\{(.*)\}$/u, '$1');

export const repeatable =
  <A>(one: (text: string) => A) =>
  (text: string, before: ReadonlyArray<A> = []): ReadonlyArray<A> => [...before, one(text)];

export const nodes = repeatable(node);

export const status = (text: string): Status => {
  const value = statusNames.findIndex((name, at) => name === text.toUpperCase() || String(at) === text);
  if (!Status.is(value)) throw new InvalidArgumentError(`A status is 0 to 4, or one of ${statusNames.join(', ')}.`);
  return value;
};

export const statuses = repeatable(status);

export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    return value;
  };

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time such as 90s, 10m, 2h or 1d, in ms. */
export const time = (text: string): number => {
  const [, digits, unit = ''] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  const ms = UNITS[unit];
  if (ms === undefined) throw new InvalidArgumentError('A time is a number with a unit: 90s, 10m, 2h or 1d.');
  return Number(digits) * ms;
};

/** A time of at least `leastMs`. */
export const timeFrom =
  (leastMs: number) =>
  (text: string): number => {
    const ms = time(text);
    if (ms < leastMs) throw new InvalidArgumentError(`It is at least ${leastMs / 1_000}s.`);
    return ms;
  };

export const entryId = (text: string): string => {
  if (!/^\d{1,20}(?:-\d{1,20})?$/u.test(text))
    throw new InvalidArgumentError('An entry is an id such as 0 or 1769853600130-0.');
  return text;
};
