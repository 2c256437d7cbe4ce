import { arrow, colours, picture, rectangle, text, type Piece } from './svg';

const box = (
  x: number,
  y: number,
  width: number,
  name: string,
  below: string,
  stroke: string,
): ReadonlyArray<Piece> => [
  rectangle(x, y, width, 76, { rx: 8, fill: '#ffffff', stroke, 'stroke-width': 1.5 }),
  text(x + width / 2, y + 32, name, { 'text-anchor': 'middle', 'font-weight': 600, 'font-size': 16 }),
  text(x + width / 2, y + 55, below, { 'text-anchor': 'middle', fill: colours.pale }),
];

const note = (x: number, y: number, content: string): Piece =>
  text(x, y, content, { 'text-anchor': 'middle', fill: colours.pale, 'font-size': 13 });

/** How a call becomes an event: the whole service in one picture. */
export const flowPicture = (): string =>
  picture(960, 330, 'How a call becomes an event', [
    rectangle(430, 20, 506, 140, { rx: 10, fill: '#eef2ff', stroke: '#818cf8' }),
    text(450, 46, 'Temporal', { fill: '#4338ca', 'font-weight': 600, 'font-size': 16 }),
    ...box(24, 64, 150, 'Callers', 'HTTP, JSON', '#94a3b8'),
    ...box(214, 64, 130, 'API', 'any number', '#94a3b8'),
    ...box(450, 64, 246, 'one workflow per node', 'threshold, alarms, outbox', '#818cf8'),
    ...box(776, 64, 140, 'Workers', 'any number', '#818cf8'),
    ...box(450, 232, 246, 'Redis stream', 'each event once, in node order', '#f87171'),
    ...box(776, 232, 140, 'Consumers', 'in any language', '#94a3b8'),
    arrow([
      [174, 92],
      [212, 92],
    ]),
    arrow([
      [214, 114],
      [176, 114],
    ]),
    arrow([
      [344, 92],
      [448, 92],
    ]),
    arrow([
      [450, 114],
      [346, 114],
    ]),
    note(386, 84, '1 update'),
    note(386, 134, '2 stored'),
    arrow([
      [776, 102],
      [698, 102],
    ]),
    note(737, 94, 'run it'),
    arrow([
      [279, 140],
      [279, 270],
      [448, 270],
    ]),
    note(360, 262, '3 the events'),
    arrow(
      [
        [573, 140],
        [573, 230],
      ],
      { 'stroke-dasharray': '5 4' },
    ),
    note(700, 192, 'by the node itself, if no API does'),
    arrow([
      [696, 270],
      [774, 270],
    ]),
  ]);
