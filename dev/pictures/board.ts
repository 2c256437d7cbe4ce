import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../stack/project-root';
import { pictureColours, linePiece, picture, polyline, rectangle, textPiece, type Piece } from './svg';

/** A panel of Grafana's dashboard deploy/grafana/point-alarm-service.json, with only the members that are drawn. */
export interface Panel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>;
  readonly fieldConfig?: { readonly defaults: Defaults };
}

interface Defaults {
  readonly unit: string;
  readonly mappings?: ReadonlyArray<{ readonly options: Readonly<Record<string, { readonly text: string }>> }>;
  readonly custom?: { readonly stacking: { readonly mode: string } };
}

/** A line of a panel: its name, as the panel's legend makes it, and a value for each second; undefined if there was none. */
export interface Series {
  readonly name: string;
  readonly values: ReadonlyArray<number | undefined>;
}

export const boardPanels = (): ReadonlyArray<Panel> => {
  const file = readFileSync(join(projectRoot, 'deploy/grafana/point-alarm-service.json'), 'utf8');
  return (JSON.parse(file) as { readonly panels: ReadonlyArray<Panel> }).panels;
};

const [width, rowHeight, gap, columns, head] = [1_200, 25, 4, 24, 64];
const small = { 'font-size': 11 };
const lineColours = ['#1f6feb', '#b26a00', '#2e7d32', '#b3261e', '#7b3fa0', '#00838f', '#616e7c'];
const MOST_NAMES = 4;

/** Draws the dashboard: each panel at its place, with the lines that `seriesOf` returns for it. */
export const boardPicture = (
  note: string,
  panels: ReadonlyArray<Panel>,
  seriesOf: (panel: Panel) => ReadonlyArray<Series>,
): string => {
  const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  const title = 'The dashboard Point Alarm Service';
  return picture(width, head + rows * rowHeight + gap, title, [
    textPiece(gap * 2, 26, title, { 'font-size': 17, 'font-weight': 600 }),
    textPiece(gap * 2, 48, note, { fill: pictureColours.pale }),
    ...panels.flatMap((panel) => panelPieces(panel, seriesOf(panel))),
  ]);
};

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const panelPieces = (panel: Panel, series: ReadonlyArray<Series>): ReadonlyArray<Piece> => {
  const { gridPos, title, type } = panel;
  const unit = width / columns;
  const frame: Frame = {
    x: gridPos.x * unit + gap,
    y: head + gridPos.y * rowHeight + gap,
    w: gridPos.w * unit - 2 * gap,
    h: gridPos.h * rowHeight - 2 * gap,
  };
  if (type === 'row')
    return [textPiece(frame.x + gap, frame.y + 14, title, { 'font-weight': 600, fill: pictureColours.pale })];
  const box = rectangle(frame.x, frame.y, frame.w, frame.h, { fill: 'none', stroke: pictureColours.grid, rx: 3 });
  const name = textPiece(frame.x + 8, frame.y + 18, title, { 'font-size': 13, 'font-weight': 600 });
  if (series.length === 0)
    return [
      box,
      name,
      textPiece(frame.x + 8, frame.y + frame.h / 2, 'nothing in this run', { fill: pictureColours.pale }),
    ];
  return [box, name, ...(type === 'stat' ? statPieces(panel, frame, series) : linePieces(panel, frame, series))];
};

/** The last value of each series, one below the other. */
const statPieces = (panel: Panel, { x, y, w }: Frame, series: ReadonlyArray<Series>): ReadonlyArray<Piece> =>
  series.flatMap(({ name, values }, index) => [
    textPiece(x + 8, y + 44 + index * 22, name, small),
    textPiece(x + w - 8, y + 44 + index * 22, shown(panel, values.findLast((value) => value !== undefined) ?? 0), {
      'text-anchor': 'end',
      'font-weight': 600,
    }),
  ]);

const linePieces = (panel: Panel, { x, y, w, h }: Frame, series: ReadonlyArray<Series>): ReadonlyArray<Piece> => {
  const isStacked = panel.fieldConfig?.defaults.custom?.stacking.mode === 'normal';
  const drawn = isStacked ? stacked(series) : series;
  const most = Math.max(...drawn.flatMap(({ values }) => values.map((value) => value ?? 0))) || 1;
  const names = namesOf(series);
  const [left, top, right, bottom] = [x + 58, y + 30, x + w - 10, y + h - 14 - names.length * 14];
  const placed = (values: Series['values']): ReadonlyArray<readonly [number, number]> =>
    values.flatMap((value, at) =>
      value === undefined
        ? []
        : [[left + (at / (values.length - 1)) * (right - left), bottom - (value / most) * (bottom - top)] as const],
    );
  return [
    ...[0, most / 2, most].flatMap((tick) => {
      const at = bottom - (tick / most) * (bottom - top);
      return [
        linePiece(left, at, right, at),
        textPiece(left - 6, at + 4, shown(panel, tick), { ...small, 'text-anchor': 'end', fill: pictureColours.pale }),
      ];
    }),
    ...drawn.map(({ values }, index) => polyline(placed(values), { stroke: colourAt(index), 'stroke-width': 1.5 })),
    ...names.map((name, index) =>
      textPiece(left, bottom + 18 + index * 14, name, {
        ...small,
        fill: index < MOST_NAMES ? colourAt(index) : pictureColours.pale,
      }),
    ),
  ];
};

const colourAt = (index: number): string => lineColours[index % lineColours.length] ?? pictureColours.ink;

const stacked = (series: ReadonlyArray<Series>): ReadonlyArray<Series> => {
  let below: Series['values'] = [];
  return series.map(({ name, values }) => {
    below = values.map((value, at) => (value ?? 0) + (below[at] ?? 0));
    return { name, values: below };
  });
};

const namesOf = (series: ReadonlyArray<Series>): ReadonlyArray<string> => [
  ...series.slice(0, MOST_NAMES).map(({ name }) => name),
  ...(series.length > MOST_NAMES ? [`and ${series.length - MOST_NAMES} more`] : []),
];

/** A value as text in the unit of its panel. */
const shown = ({ fieldConfig }: Panel, value: number): string => {
  const { unit = 'short', mappings = [] } = fieldConfig?.defaults ?? {};
  const [mapped] = mappings.flatMap(({ options }) => options[value]?.text ?? []);
  if (mapped !== undefined) return mapped;
  if (unit === 'percentunit') return `${rounded(value * 100)} %`;
  if (unit === 'bytes') return `${rounded(value / 1_048_576)} MiB`;
  if (unit === 's') return value < 1 && value > 0 ? `${rounded(value * 1_000)} ms` : `${rounded(value)} s`;
  return unit === 'short' ? rounded(value) : `${rounded(value)}/s`;
};

const rounded = (value: number): string => String(Number(value.toPrecision(3)));
