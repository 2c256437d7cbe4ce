/** A series of a chart: a line through its points, or a mark or a bar at each of them. */
interface Series {
  readonly kind: 'line' | 'marks' | 'bars';
  readonly colour: string;
  readonly name: string;
  readonly points: ReadonlyArray<readonly [number, number]>;
}

export interface Axis {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: ReadonlyArray<number>;
  /** What stands at the ticks instead of their numbers. */
  readonly names?: ReadonlyArray<string>;
  readonly logarithmic?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: ReadonlyArray<Series>;
}

const WIDTH = 860;
const HEIGHT = 360;
const LEFT = 70;
const RIGHT = 20;
const TOP = 56;
const BOTTOM = 52;

/** The chart as an SVG document. */
export const svgOf = ({ title, x, y, series }: Chart): string => {
  const toX = (value: number): number => LEFT + share(x, value) * (WIDTH - LEFT - RIGHT);
  const toY = (value: number): number => HEIGHT - BOTTOM - share(y, value) * (HEIGHT - TOP - BOTTOM);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 20, title, 'start', ' font-weight="bold"'),
    ...series.map((one, index) => text(LEFT + index * 190, 40, `\u25a0 ${one.name}`, 'start', ` fill="${one.colour}"`)),
    ...x.ticks.flatMap((tick, index) => [
      rule(toX(tick), HEIGHT - BOTTOM, toX(tick), TOP),
      text(toX(tick), HEIGHT - BOTTOM + 16, x.names?.[index] ?? String(tick), 'middle'),
    ]),
    ...y.ticks.flatMap((tick) => [
      rule(LEFT, toY(tick), WIDTH - RIGHT, toY(tick)),
      text(LEFT - 8, toY(tick) + 4, String(tick), 'end'),
    ]),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x.name, 'middle'),
    `<text x="16" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 16 ${(TOP + HEIGHT - BOTTOM) / 2})">${escaped(y.name)}</text>`,
    ...series.map((one) => drawn(one, toX, toY)),
    '</svg>',
    '',
  ].join('\n');
};

const drawn = (series: Series, toX: (value: number) => number, toY: (value: number) => number): string => {
  const places = series.points.map(([x, y]) => [toX(x).toFixed(1), toY(y).toFixed(1)] as const);
  switch (series.kind) {
    case 'line':
      return `<polyline fill="none" stroke="${series.colour}" stroke-width="1.2" points="${places.map((place) => place.join(',')).join(' ')}"/>`;
    case 'marks':
      return places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="4" fill="${series.colour}"/>`).join('\n');
    case 'bars':
      return places
        .map(([x, y]) => {
          const height = (HEIGHT - BOTTOM - Number(y)).toFixed(1);
          return `<rect x="${Number(x) - 6}" y="${y}" width="12" height="${height}" fill="${series.colour}"/>`;
        })
        .join('\n');
  }
};

const share = ({ from, to, logarithmic = false }: Axis, value: number): number => {
  const within = Math.min(Math.max(value, from), to);
  return logarithmic ? Math.log(within / from) / Math.log(to / from) : (within - from) / (to - from);
};

const rule = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#dddddd"/>`;

const text = (x: number, y: number, content: string, anchor: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${more}>${escaped(content)}</text>`;

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
