/** Characters of a label, a unit or a user's name that are shown. */
const LONGEST_TEXT = 60;

/** Text of callers, as code: no mark-up of theirs takes effect, and what cannot be seen is left out. */
export const code = (text = ''): string => {
  const shown = Array.from(text.replace(/[`|\s\p{C}]+/gu, ' ')).slice(0, LONGEST_TEXT);
  return text === '' ? '' : `\`${shown.join('')}\``;
};

/** A number of at most six significant digits; nothing where there is none. */
export const number = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(6)));

/** A time in UTC, to the millisecond, as ISO 8601 has it. */
export const instant = (epochMs: number): string => new Date(epochMs).toISOString();

/** A number of things in words: `1 event`, `2 events`. */
export const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** The texts that are not empty, with commas between. */
export const phrases = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== '').join(', ');

/** The texts that are not empty, with a space between. */
export const words = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== '').join(' ');
