import type { Status } from '../../../workflows/domain/alarm/status';
import { significant } from '../../table';

export const WIDTH = 1_120;
export const LEFT = 70;
export const RIGHT = 1_090;

/** Colours that colour-blind readers can distinguish, also in a print in grey. */
export const chartColours = {
  ink: '#222',
  faint: '#888',
  grid: '#ddd',
  line: '#4477aa',
  floor: '#222',
  alert: '#c98a00',
  danger: '#cc2222',
};

export const colourOf = (status: Status): string =>
  ['#888', '#888', '#228833', chartColours.alert, chartColours.danger][status] ?? '#888';

export const short = (value: number): string => significant(value, 3);

/** Attributes by name. Numbers are rounded to two decimals when they are written. */
export type Attributes = Readonly<Record<string, number | string>>;

/** An SVG element. `content` must be XML already: other elements, or text from `escaped`. */
export const element = (name: string, attributes: Attributes, ...content: ReadonlyArray<string>): string => {
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(2)) : escaped(value)}"`)
    .join('');
  return content.length === 0 ? `<${name}${given}/>` : `<${name}${given}>${content.join('')}</${name}>`;
};

export const textElement = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escaped(content));

export const lineElement = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): string =>
  element('line', { x1, y1, x2, y2, ...attributes });

export const rect = (x: number, y: number, width: number, height: number, attributes: Attributes): string =>
  element('rect', { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });

/** Escapes text for XML. Control characters, lone surrogates and unassigned characters become U+FFFD. */
export const escaped = (content: string): string =>
  content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '\uFFFD');
