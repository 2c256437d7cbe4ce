import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import {
  decode,
  MOST_REASONS,
  reasonInWords,
  REASON_NAME_LENGTH,
  shortened,
  type Codec,
  type Reason,
} from '../workflows/domain/codecs';
import { OBJECT_MEMBERS } from '../workflows/domain/limits';

/** The most levels to which the objects and arrays of a JSON text may be nested. */
const DEEPEST_BODY = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const END_OF_ARRAY = 0x5d;
const OBJECT = 0x7b;
const END_OF_OBJECT = 0x7d;

/** For each byte, 1 if it is one of the eight that structure JSON. Most bytes are digits, which one look at the table skips. */
const IS_STRUCTURE = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, ARRAY, BACKSLASH, END_OF_ARRAY, OBJECT, END_OF_OBJECT]) IS_STRUCTURE[byte] = 1;

/**
 * Counts the members of all objects in `json`, which may be invalid. It looks for eight ASCII bytes, which no other character
 * of UTF-8 contains. It runs before parsing, because JSON.parse takes 100 ms for a million brackets or for 100,000 names.
 * Errors: too many levels, too many members in one object, or more values than `mostValues`.
 */
export const membersIn = (json: Uint8Array, mostValues = Infinity): E.Either<Reason, number> => {
  const members = new Uint16Array(DEEPEST_BODY + 1);
  let all = 0;
  let values = 0;
  let level = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = Number(json[index]);
    if (IS_STRUCTURE[byte] === 0) continue;
    if (isText) {
      if (byte === QUOTE) isText = false;
      else if (byte === BACKSLASH) index += 1;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === COLON) {
      const here = (members[level] ?? 0) + 1;
      if (here > OBJECT_MEMBERS) return tooMuch(`must have at most ${OBJECT_MEMBERS} members in an object`);
      members[level] = here;
      all += 1;
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === OBJECT || byte === ARRAY) {
      level += 1;
      values += 1;
      if (level > DEEPEST_BODY) return tooMuch(`must nest at most ${DEEPEST_BODY} levels`);
      members[level] = 0;
    } else if (byte === END_OF_OBJECT || byte === END_OF_ARRAY) {
      level = Math.max(0, level - 1);
    }
    if (values > mostValues) return tooMuch(`must have at most ${mostValues} values`);
  }
  return E.right(all);
};

const tooMuch = (reason: string): E.Either<Reason, never> => E.left({ name: '', reason });

/** A value that was read from JSON, and those of its faults that no schema allows: duplicate names and infinite numbers. */
export interface Content {
  readonly value: unknown;
  readonly faults: ReadonlyArray<Reason>;
}

/**
 * Reads `bytes` as JSON in UTF-8; a leading byte order mark is ignored (RFC 8259, section 8.1).
 *
 * Errors: too many levels or members, no UTF-8, or no JSON. Duplicate properties and infinite numbers are returned as `faults`,
 * so that the caller can report them together with the faults that its codec finds.
 */
export const readJson = (bytes: Uint8Array): E.Either<Reason, Content> =>
  pipe(
    membersIn(bytes),
    E.chain((written) => parseJson(bytes, written)),
  );

/** The second half of `readJson`; `written` is the number of members that `membersIn` counted in `bytes`. */
export const parseJson = (bytes: Uint8Array, written: number): E.Either<Reason, Content> =>
  pipe(
    E.Do,
    E.bind('text', () =>
      E.tryCatch(
        () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
        (): Reason => ({ name: '', reason: 'must be UTF-8' }),
      ),
    ),
    E.bind('value', ({ text }) =>
      E.tryCatch(
        () => JSON.parse(text) as unknown,
        (): Reason => ({ name: '', reason: text.trim() === '' ? 'is required' : 'must be JSON' }),
      ),
    ),
    E.map(({ text, value }) => ({ value, faults: membersOf(value) === written ? [] : faultsIn(text) })),
  );

/**
 * Counts the members of all objects in `value`; NaN if a number is infinite, as JSON.parse reads `1e999`. JSON.parse keeps only
 * the last of duplicate names, so the text then has more members than the value. Paths of members are not tracked, because that
 * costs ten times as much as parsing.
 */
const membersOf = (value: unknown): number => {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : NaN;
  if (typeof value !== 'object' || value === null) return 0;
  const members: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += membersOf(member);
  return count;
};

/** An object or array that is open at the current place in the text. */
interface Level {
  /** The names of the object's members so far, each with true once it is reported as a duplicate; absent for an array. */
  readonly names?: Map<string, boolean>;
  /** The name or index of the current member. A long name is shortened, as answers to requests shorten it. */
  at: string | number;
}

/**
 * The dotted paths of the duplicate properties in the valid JSON `text`, then those of its infinite numbers, at most
 * `MOST_REASONS` in all. It looks at each character once.
 */
const faultsIn = (text: string): ReadonlyArray<Reason> => {
  const [twice, infinite] = [new Set<string>(), new Set<string>()];
  const levels: Level[] = [];
  let found = 0;
  const addTo = (faults: Set<string>): void => {
    found += 1;
    faults.add(shortened(levels.map(({ at }) => at).join('.'), REASON_NAME_LENGTH));
  };
  let lastText = '';
  let numberFrom = 0;
  for (let index = 0; index <= text.length && found < MOST_REASONS; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 128 ? ENDS_NUMBER[code] === 0 : index < text.length) continue;
    const level = levels[levels.length - 1];
    if (code === QUOTE) {
      const end = endOfText(text, index + 1);
      lastText = text.slice(index + 1, end);
      index = end;
    } else if (code === OBJECT) {
      levels.push({ names: new Map(), at: '' });
    } else if (code === ARRAY) {
      levels.push({ at: 0 });
    } else if (code === COLON && level?.names !== undefined) {
      const name = lastText.includes('\\') ? String(JSON.parse(`"${lastText}"`)) : lastText;
      level.at = shortened(name, REASON_NAME_LENGTH);
      if (level.names.get(name) === false) addTo(twice);
      level.names.set(name, level.names.has(name));
    } else {
      if (isInfinite(text.slice(numberFrom, index))) addTo(infinite);
      if (code === END_OF_OBJECT || code === END_OF_ARRAY) levels.pop();
      else if (typeof level?.at === 'number') level.at += 1;
    }
    numberFrom = index + 1;
  }
  return [
    ...[...twice].map((name) => ({ name, reason: 'is named twice' })),
    ...[...infinite].map((name) => ({ name, reason: 'must be a finite number' })),
  ];
};

/** For each ASCII character, 1 if `faultsIn` must look at it: a quote, or punctuation, between which numbers stand. */
const ENDS_NUMBER = new Uint8Array(128);
for (const code of [QUOTE, COLON, COMMA, ARRAY, END_OF_ARRAY, OBJECT, END_OF_OBJECT]) ENDS_NUMBER[code] = 1;

/** The place of the closing quote of a JSON string whose text begins at `from`. */
const endOfText = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
};

/** The greatest finite number has 309 digits. A number with fewer digits and no exponent is finite. */
const FINITE_DIGITS = 309;

/** Whether `value` is a number that JSON.parse reads as infinite. */
const isInfinite = (value: string): boolean =>
  (value.length >= FINITE_DIGITS || /e/iu.test(value)) && Math.abs(Number(value)) === Infinity;

/** Reads a JSON text and decodes it with a codec. Errors: one line that names the first fault and counts the others. */
export const jsonDocument =
  <A>(codec: Codec<A>) =>
  (text: string): E.Either<string, A> =>
    pipe(
      readJson(new TextEncoder().encode(text)),
      E.mapLeft((fault) => (text.trim() === '' ? 'is empty' : inOneLine([fault]))),
      E.chain(({ value, faults }) =>
        faults.length > 0 ? E.left(inOneLine(faults)) : pipe(decode(codec, value), E.mapLeft(inOneLine)),
      ),
    );

const inOneLine = (reasons: ReadonlyArray<Reason>): string => {
  const [first, ...others] = reasons.map(reasonInWords);
  return `is not valid: ${first ?? 'no reason'}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
};
