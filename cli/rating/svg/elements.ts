import type { Status } from '../../../workflows/domain/alarm/status';
import { significant } from '../../table';

export const WIDTH = 1_120;
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

export const short = (value: number): string => significant(value, 3);

/** An attribute's values are numbers, of which two decimals count, or texts. */
export type Attributes = Readonly<Record<string, number | string>>;

/** An element of SVG; its content is elements, or a text by `text`. */
export const element = (name: string, attributes: Attributes, ...content: ReadonlyArray<string>): string => {
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(2)) : escaped(value)}"`)
    .join('');
  return content.length === 0 ? `<${name}${given}/>` : `<${name}${given}>${content.join('')}</${name}>`;
};

export const text = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escaped(content));

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): string =>
  element('line', { x1, y1, x2, y2, ...attributes });

export const rect = (x: number, y: number, width: number, height: number, attributes: Attributes): string =>
  element('rect', { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });

/** Text of callers as XML: what it does not know is replaced. */
export const escaped = (content: string): string =>
  content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '\uFFFD');
