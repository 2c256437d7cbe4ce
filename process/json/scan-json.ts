import * as E from 'fp-ts/Either';
import { MOST_REASONS, type Reason } from '../../workflows/domain/codecs';

/** The deepest nesting of a body, and the most members of one object in it. */
export const DEEPEST_BODY = 64;
export const MOST_MEMBERS = 1_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const END_OF_ARRAY = 0x5d;
const OBJECT = 0x7b;
const END_OF_OBJECT = 0x7d;

/** By byte, 1 for these seven: most bytes are digits, and are passed over at once. */
const IS_STRUCTURE = new Uint8Array(256);
for (const byte of [QUOTE, COLON, ARRAY, BACKSLASH, END_OF_ARRAY, OBJECT, END_OF_OBJECT]) IS_STRUCTURE[byte] = 1;

/**
 * The number of members of all objects in `json`, which may be invalid. In UTF-8 no other character contains the bytes of
 * these seven.
 *
 * It runs before parsing: JSON.parse takes a hundred milliseconds for a million brackets, and as long for a hundred thousand
 * names.
 *
 * Errors: more levels or members than a body may have.
 */
export const membersIn = (json: Uint8Array): E.Either<Reason, number> => {
  const members = new Uint16Array(DEEPEST_BODY + 1);
  let all = 0;
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
      if (here > MOST_MEMBERS) return tooMuch(`must have at most ${MOST_MEMBERS} members in an object`);
      members[level] = here;
      all += 1;
    } else if (byte === OBJECT || byte === ARRAY) {
      level += 1;
      if (level > DEEPEST_BODY) return tooMuch(`must nest at most ${DEEPEST_BODY} levels`);
      members[level] = 0;
    } else if (byte === END_OF_OBJECT || byte === END_OF_ARRAY) {
      level = Math.max(0, level - 1);
    }
  }
  return E.right(all);
};

const tooMuch = (reason: string): E.Either<Reason, never> => E.left({ name: '', reason });

interface Level {
  /** The names of an object so far; absent for an array. */
  readonly names?: Set<string>;
  /** The name or index of the current member. */
  at: string | number;
}

/** Duplicate properties, which JSON.parse accepts, by their dotted path. */
export const textFaults = (text: string): ReadonlyArray<Reason> => {
  const twice = new Set<string>();
  const levels: Level[] = [];
  let expectsName = false;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charAt(index)) {
      case '{':
        levels.push({ names: new Set(), at: '' });
        expectsName = true;
        break;
      case '[':
        levels.push({ at: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        expectsName = false;
        break;
      case ',': {
        const level = levels[levels.length - 1];
        expectsName = level?.names !== undefined;
        if (level !== undefined && typeof level.at === 'number') level.at += 1;
        break;
      }
      case '"': {
        const end = endOfText(text, index);
        const level = levels[levels.length - 1];
        if (expectsName && level?.names !== undefined) {
          level.at = nameIn(text.slice(index + 1, end));
          if (level.names.has(level.at) && twice.size < MOST_REASONS) twice.add(pathOf(levels));
          level.names.add(level.at);
          expectsName = false;
        }
        index = end;
        break;
      }
      default:
    }
  }
  return [...twice].map((name) => ({ name, reason: 'is named twice' }));
};

/** The text between quotation marks; only one with an escape is parsed, which is slow. */
const nameIn = (written: string): string => (written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written);

const pathOf = (levels: ReadonlyArray<Level>): string => levels.map(({ at }) => at).join('.');

/** The index of the closing quotation mark of the text at `start`, or the end of `json`. */
const endOfText = (json: string, start: number): number => {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
};

const isEscaped = (json: string, at: number): boolean => {
  let backslashes = 0;
  while (json.charAt(at - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
};
