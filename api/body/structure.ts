import * as E from 'fp-ts/Either';
import type { Reason } from '../../workflows/domain/codecs';

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

/**
 * How many members all objects in `json`, which need be no JSON, have together. Bytes of other characters than these seven
 * never look like them in UTF-8.
 *
 * It is asked before anything is parsed: JSON.parse takes a hundred milliseconds for a million brackets, and as long for a
 * hundred thousand names.
 *
 * Errors: more levels or members than a body may have.
 */
export const membersIn = (json: Uint8Array): E.Either<Reason, number> => {
  const members = new Uint16Array(DEEPEST_BODY + 1);
  let all = 0;
  let level = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
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
