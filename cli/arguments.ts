import { InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/Either';
import { decode, uuid } from '../workflows/domain/codecs';
import { Status, statusNames } from '../workflows/domain/alarm/status';

/** Parses a node's id. The result is in lower case, as the API's answers have it. */
export const node = (text: string): string => {
  const decoded = decode(uuid, withoutBraces(text));
  if (E.isLeft(decoded)) throw new InvalidArgumentError('A node is a UUID.');
  return decoded.right;
};

/** Removes the braces that Windows programs write around an id: `{3a1f…}`. */
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

export const parseWholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    return value;
  };

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
/** The longest time (ms) that options about notifications accept, such as `--for` and `--silent-after`: 31 days. */
export const MONTH_MS = 31 * DAY_MS;

/** Parses a duration such as 90s, 10m, 2h or 1d, and returns it in ms. */
export const parseDuration = (text: string): number => {
  const [, digits, unit = ''] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  const ms = UNITS[unit];
  if (ms === undefined) throw new InvalidArgumentError('A time is a number with a unit: 90s, 10m, 2h or 1d.');
  return Number(digits) * ms;
};

/** Parses a duration from `leastMs` to `mostMs`. `mostMs` must be whole days, because the error message states it in days. */
export const timeFrom =
  (leastMs: number, mostMs = Infinity) =>
  (text: string): number => {
    const ms = parseDuration(text);
    if (ms >= leastMs && ms <= mostMs) return ms;
    const least = `${leastMs / 1_000}s`;
    throw new InvalidArgumentError(
      mostMs === Infinity ? `It is at least ${least}.` : `It is from ${least} to ${mostMs / DAY_MS}d.`,
    );
  };

/** Parses text of at most `longest` characters, without the blanks around it. Text of blanks alone is refused. */
export const oneLine =
  (longest: number) =>
  (text: string): string => {
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.length > longest)
      throw new InvalidArgumentError(`It is text of 1 to ${longest} characters.`);
    return trimmed;
  };

/** Parses the name of a part (one of a node's alarms) as events and the labels of alerts spell it. */
export const part = (text: string): string => {
  if (!/^(?:overall|rate of change|inspection|external|(?:band|HAL) (?:0|[1-9]\d{0,3}))$/u.test(text))
    throw new InvalidArgumentError('A part is overall, "rate of change", inspection, external, "band 0" or "HAL 0".');
  return text;
};

const urlOf =
  (what: string, ...protocols: ReadonlyArray<string>) =>
  (text: string): URL => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      throw new InvalidArgumentError(
        `It is a URL of ${what} that begins with ${protocols.map((one) => `${one}//`).join(' or ')}.`,
      );
    return new URL(text);
  };

export const postgresUrl = urlOf('a PostgreSQL database', 'postgres:', 'postgresql:');
export const postgresAt = ({ host, pathname }: URL): string => `PostgreSQL at ${host}${pathname}`;

export const alertmanagerUrls = repeatable(urlOf('an Alertmanager', 'http:', 'https:'));

export const entryId = (text: string): string => {
  if (!/^\d{1,20}(?:-\d{1,20})?$/u.test(text))
    throw new InvalidArgumentError('An entry is an id such as 0 or 1769853600130-0.');
  return text;
};
