import type { Row } from '../measure/measure';

/** The charts of a soak's minutes, as SVG documents by the names of their files; none for other runs. */
export const soakCharts = (rows: ReadonlyArray<Row>): Readonly<Record<string, string>> => {
  const minutes = rows.filter(({ figures }) => figures['minute'] !== undefined).map(({ figures }) => figures);
  if (minutes.length < 2) return {};
  const of = (figure: string, scale = 1): ReadonlyArray<number> =>
    minutes.map((figures) => (figures[figure] ?? 0) * scale);
  const residentMB = (name: string): ReadonlyArray<number> => of(`resident ${name}`, 1e-6);
  return {
    'bench-soak-memory': svgOf('Resident memory over the minutes', 'MB', {
      ...{ worker: residentMB('worker'), API: residentMB('api') },
      ...{ Temporal: residentMB('temporal'), Redis: residentMB('redis') },
    }),
    'bench-soak-times': svgOf('Rate and times over the minutes', 'ms, calls a second', {
      ...{ 'p50 ms': of('p50'), 'p99 ms': of('p99'), 'calls a second': of('perSecond') },
    }),
  };
};

const COLOURS = ['#1565c0', '#c62828', '#2e7d32', '#6a1b9a'];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [860, 360, 70, 20, 56, 52];

/** Lines of values by minute, from 0 to a round number above all of them. */
const svgOf = (title: string, unit: string, lines: Readonly<Record<string, ReadonlyArray<number>>>): string => {
  const series = Object.entries(lines);
  const last = Math.max(...series.map(([, values]) => values.length));
  const most = Math.max(1, ...series.flatMap(([, values]) => values));
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((times) => times * power).find((one) => most / one <= 6) ?? power;
  const count = Math.ceil(most / step);
  const toX = (minute: number): number => LEFT + ((minute - 1) / (last - 1)) * (WIDTH - LEFT - RIGHT);
  const toY = (value: number): number => HEIGHT - BOTTOM - (value / (count * step)) * (HEIGHT - TOP - BOTTOM);
  const everyTenth = Math.max(1, Math.round(last / 10));
  const minutes = Array.from({ length: last }, (_, index) => index + 1).filter((one) => one % everyTenth === 0);
  const ticks = Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 100) / 100);
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 20, title, 'start', ' font-weight="bold"'),
    ...minutes.map((minute) => text(toX(minute), HEIGHT - BOTTOM + 16, String(minute), 'middle')),
    ...ticks.map((tick) => text(LEFT - 8, toY(tick) + 4, String(tick), 'end')),
    ...ticks.map((tick) => `<path d="M${LEFT} ${toY(tick).toFixed(1)}H${WIDTH - RIGHT}" stroke="#dddddd"/>`),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, 'minute', 'middle'),
    text(16, middle, unit, 'middle', ` transform="rotate(-90 16 ${middle})"`),
    ...series.flatMap(([name, values], index) => [
      text(LEFT + index * 190, 40, `■ ${name}`, 'start', ` fill="${COLOURS[index] ?? ''}"`),
      `<polyline fill="none" stroke="${COLOURS[index] ?? ''}" points="${values
        .map((value, place) => `${toX(place + 1).toFixed(1)},${toY(value).toFixed(1)}`)
        .join(' ')}"/>`,
    ]),
    '</svg>\n',
  ].join('\n');
};

const text = (x: number, y: number, content: string, anchor: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${more}>${content}</text>`;
