import { element, escaped, textElement } from '../../cli/rating/svg/elements';

/** A piece of an SVG picture. Places and sizes are in pixels, from the upper left corner. */
export type Piece = string;

type Attributes = Readonly<Record<string, string | number>>;

/** The colours of the pictures, readable on white. Words stand beside them, so nobody has to tell red from green. */
export const pictureColours = {
  good: '#cfe8d3',
  alert: '#ffe3a3',
  danger: '#f5b5ae',
  goodLine: '#2e7d32',
  alertLine: '#b26a00',
  dangerLine: '#b3261e',
  ink: '#1f2933',
  pale: '#616e7c',
  grid: '#d5dbe1',
  service: '#1f6feb',
  baseline: '#9aa5b1',
} as const;

export const rectangle = (x: number, y: number, width: number, height: number, more: Attributes = {}): Piece =>
  element('rect', { x, y, width, height, ...more });

export const linePiece = (x1: number, y1: number, x2: number, y2: number, more: Attributes = {}): Piece =>
  element('line', { x1, y1, x2, y2, stroke: pictureColours.grid, ...more });

export const polyline = (points: ReadonlyArray<readonly [number, number]>, more: Attributes = {}): Piece =>
  element('polyline', {
    points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' '),
    fill: 'none',
    ...more,
  });

export const textPiece = (x: number, y: number, content: string, more: Attributes = {}): Piece =>
  textElement(x, y, content, { fill: pictureColours.ink, ...more });

/** The picture of `pieces`; `title` is what a screen reader says. */
export const picture = (width: number, height: number, title: string, pieces: ReadonlyArray<Piece>): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="14" role="img">`,
    element('title', {}, escaped(title)),
    rectangle(0, 0, width, height, { fill: '#ffffff' }),
    ...pieces,
    '</svg>',
    '',
  ].join('\n');
