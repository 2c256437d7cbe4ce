/** Characters of a label, a unit or a user's name that are shown. */
const LONGEST_TEXT = 60;

export type Row = ReadonlyArray<string>;

/** A table and an empty line; nothing where there are no rows. */
export const table = (head: Row, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).concat('');

/** Text of callers, as code: no mark-up of theirs takes effect, and what cannot be seen is left out. */
export const code = (text = ''): string => {
  const shown = Array.from(text.replace(/[`|\s\p{C}]+/gu, ' ')).slice(0, LONGEST_TEXT);
  return text === '' ? '' : `\`${shown.join('')}\``;
};

/** A number of at most six significant digits; nothing where there is none. */
export const number = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(6)));

export const instant = (epochMs: number): string => (epochMs === 0 ? 'never' : new Date(epochMs).toISOString());

/** The texts that are not empty, with a space between. */
export const words = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== '').join(' ');
