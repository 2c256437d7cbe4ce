import type { Status } from '../../../workflows/domain/alarm/status';
import { significant } from '../significant';

export const WIDTH = 1_120;
/** Where plots begin and end. */
export const LEFT = 70;
export const RIGHT = 1_090;

/** Colours that stay apart for the colour-blind, and in grey. */
export const colours = {
  ink: '#222',
  faint: '#888',
  grid: '#ddd',
  line: '#4477aa',
  floor: '#222',
  alert: '#c98a00',
  danger: '#cc2222',
};

export const colourOf = (status: Status): string =>
  ['#888', '#888', '#228833', colours.alert, colours.danger][status] ?? '#888';

/** A number of at most three significant digits. */
export const short = (value: number): string => significant(value, 3);
