import type { MonthFigures } from '../forward/postgres/month';
import { element, escaped, lineElement, rect, textElement } from '../rating/svg/elements';
import { minuteText, monthReport, partName, type Section } from './month-report';

/** The report of a month as one HTML page that loads nothing: its tables, and two pictures. */
export const reportPage = (figures: MonthFigures, named: (node: string) => string): string => {
  const title = `Alarms of ${figures.month.name}`;
  const pictures: Readonly<Record<string, string>> = {
    Figures: tenMinutesPicture(figures),
    'The most frequent': frequentPicture(figures, named),
  };
  const sections = monthReport(figures, named).map(
    (section) => `${element('h2', {}, escaped(section.title))}
${element('p', {}, escaped(section.about))}
${tableHtml(section)}
${pictures[section.title] ?? ''}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${sections.join('\n')}
</body>
</html>
`;
};

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 1120px; margin: 2em auto; padding: 0 1em }
h2 { margin: 2em 0 0 } p { margin: .2em 0 .8em; color: #555 }
table { border-collapse: collapse } th { text-align: left; font-size: 12px; color: #555 }
th, td { padding: .2em 1.5em .2em 0; border-bottom: 1px solid #ddd; vertical-align: top; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
svg { display: block; width: 100%; margin: 1.5em 0 0 }
@media print { h2 { break-after: avoid } tr, svg { break-inside: avoid } }
`;

const tableHtml = ({ heads, rows }: Section): string =>
  element(
    'table',
    {},
    ...[
      heads.map((cell) => element('th', {}, escaped(cell))),
      ...rows.map((row) => row.map((cell) => element('td', {}, escaped(cell)))),
    ].map((cells) => element('tr', {}, ...cells)),
  );

const [WIDTH, LEFT, TOP, ROW] = [1_120, 100, 62, 18];
const FONT = { 'font-family': 'system-ui, sans-serif', 'font-size': 12 };
const PALE = { fill: '#555' };

const picture = (height: number, title: string, ...content: ReadonlyArray<string>): string =>
  element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', ...FONT },
    element('title', {}, escaped(title)),
    textElement(0, 16, title, { 'font-size': 14, 'font-weight': 600 }),
    ...content,
  );

/** Shades by the number of alarms in ten minutes, at least `from`. Printed in grey, a greater number is still darker. */
const SHADES = [
  { from: 1, fill: '#fde3c8', name: '1 to 4' },
  { from: 5, fill: '#f7a35c', name: '5 to 10' },
  { from: 11, fill: '#cc2222', name: '11 to 50' },
  { from: 51, fill: '#5c0f16', name: 'more' },
];
const SLOTS = 144;
const DAY_MS = 86_400_000;

/** One row per day, with 144 slots of ten minutes; floods are underlined. */
const tenMinutesPicture = ({ month, byTenMinutes, floods }: MonthFigures): string => {
  const slot = (WIDTH - LEFT) / SLOTS;
  const placeOf = (at: number): { readonly x: number; readonly y: number } => {
    const minutes = Math.floor((at - month.since.getTime()) / 600_000);
    return { x: LEFT + (minutes % SLOTS) * slot, y: TOP + Math.floor(minutes / SLOTS) * ROW };
  };
  const days = Math.round((month.until.getTime() - month.since.getTime()) / DAY_MS);
  const bottom = TOP + days * ROW;
  return picture(
    bottom + 6,
    'Alarms in ten minutes; floods are underlined',
    ...SHADES.flatMap(({ fill, name }, at) => [
      rect(LEFT + at * 110, 28, 12, 12, { fill }),
      textElement(LEFT + 18 + at * 110, 38, name, PALE),
    ]),
    ...[0, 3, 6, 9, 12, 15, 18, 21].flatMap((hour) => [
      textElement(LEFT + hour * 6 * slot, TOP - 6, `${hour}:00`, PALE),
      lineElement(LEFT + hour * 6 * slot, TOP, LEFT + hour * 6 * slot, bottom, { stroke: '#ddd' }),
    ]),
    ...Array.from({ length: days }, (_, at) => {
      const day = minuteText(new Date(month.since.getTime() + at * DAY_MS)).slice(0, 10);
      return textElement(LEFT - 10, TOP + at * ROW + 13, day, { ...PALE, 'text-anchor': 'end' });
    }),
    ...byTenMinutes
      .filter(({ alarms }) => alarms > 0)
      .map(({ at, alarms }) => {
        const { x, y } = placeOf(at.getTime());
        const fill = SHADES.findLast(({ from }) => alarms >= from)?.fill ?? '#fff';
        const tip = element('title', {}, `${minuteText(at)}: ${alarms} alarms`);
        return element('rect', { x, y: y + 2, width: slot - 0.5, height: ROW - 6, fill }, tip);
      }),
    ...floods.flatMap(({ began, ended }) => {
      const count = Math.ceil((ended.getTime() - began.getTime()) / 600_000);
      return Array.from({ length: count }, (_, at) => placeOf(began.getTime() + at * 600_000)).map(({ x, y }) =>
        rect(x, y + ROW - 3, slot, 2, { fill: '#222' }),
      );
    }),
  );
};

/** A bar for each of the most frequent parts, in three colours: chattering, fleeting and other alarms. */
const frequentPicture = ({ frequentParts }: MonthFigures, named: (node: string) => string): string => {
  const [names, height, top] = [430, 24, 50];
  const most = Math.max(...frequentParts.map(({ alarms }) => alarms));
  const scale = (WIDTH - names - 80) / most;
  const kinds = [
    { name: 'chattering', fill: '#cc2222' },
    { name: 'fleeting', fill: '#f7a35c' },
    { name: 'other', fill: '#4477aa' },
  ];
  return picture(
    top + frequentParts.length * height + 6,
    'Alarms of the most frequent parts',
    ...kinds.flatMap(({ name, fill }, at) => [
      rect(names + at * 110, 28, 12, 12, { fill }),
      textElement(names + 18 + at * 110, 38, name, PALE),
    ]),
    ...frequentParts.flatMap((part, at) => {
      const y = top + at * height;
      const { alarms, chattering, fleeting } = part;
      let x = names;
      const bars = [chattering, fleeting, alarms - chattering - fleeting].map((count, kind) => {
        x += count * scale;
        return rect(x - count * scale, y, count * scale, height - 6, { fill: kinds[kind]?.fill ?? '' });
      });
      return [
        textElement(names - 10, y + 13, shortened(`${named(part.node)}  ${partName(part)}`), { 'text-anchor': 'end' }),
        ...bars,
        textElement(x + 6, y + 13, String(alarms), { 'font-weight': 600 }),
      ];
    }),
  );
};

const MOST_CHARACTERS = 62;

/** The end of a long name, which tells more than its beginning. */
const shortened = (name: string): string =>
  name.length <= MOST_CHARACTERS ? name : `…${name.slice(1 - MOST_CHARACTERS)}`;
