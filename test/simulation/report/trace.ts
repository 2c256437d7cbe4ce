import type { Note } from '../world/world';

const WIDTH = 10;
const TIME = 10;

/**
 * What happened as a sequence diagram in text: a column for each process, a line for each message or step, with its virtual
 * time in ms on the left and what it was on the right. `o` marks who does something alone, `*` what the schedule does to them.
 */
export const traceOf = (notes: ReadonlyArray<Note>): string => {
  const names = [...new Set(notes.flatMap(({ who, to }) => (to === undefined ? [who] : [who, to])))];
  const rank = (name: string): number => order.findIndex((prefix) => name.startsWith(prefix));
  const lanes = names
    .filter((name) => rank(name) >= 0)
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  const head = `${'ms'.padStart(TIME)}  ${lanes.map((name) => name.padEnd(WIDTH)).join('')}`;
  return [head, ...notes.map((note) => lineOf(lanes, note))].join('\n');
};

/** From left to right; others are shown without a column. */
const order = ['callers', 'operator', 'api', 'temporal', 'worker', 'redis'];

const lineOf = (lanes: ReadonlyArray<string>, { at, who, to, what }: Note): string => {
  const from = lanes.indexOf(who);
  const target = to === undefined ? from : lanes.indexOf(to);
  const row = Array.from({ length: lanes.length * WIDTH }, (_, index): string => (index % WIDTH === 0 ? '|' : ' '));
  const [left, right] = [Math.min(from, target) * WIDTH, Math.max(from, target) * WIDTH];
  if (from >= 0 && from === target) row[from * WIDTH] = 'o';
  if (from >= 0 && target >= 0 && from !== target) {
    for (let index = left + 1; index < right; index += 1) row[index] = '-';
    if (target > from) row[right - 1] = '>';
    else row[left + 1] = '<';
  }
  const said = from < 0 ? `* ${who}: ${what}` : what;
  return `${at.toFixed(1).padStart(TIME)}  ${row.join('')}${said}`;
};
