import type { Axis, Chart } from '../plots/chart';
import type { Row } from '../measure/row';
import { summariesOf, type Summary } from './summary';

const SERVICE = '#1565c0';
const FLOOR = '#b0bec5';
const COLOURS = ['#1565c0', '#c62828', '#2e7d32', '#6a1b9a', '#ef6c00'];

/** The charts that these rows of one run make, by the names of their files. */
export const chartsOf = (rows: ReadonlyArray<Row>): Readonly<Record<string, Chart>> => {
  const summaries = summariesOf(rows);
  const compared = summaries.filter(isCompared);
  const growth = summaries.filter(({ section }) => section === 'growth');
  const minutes = rows.filter(
    ({ section, side, figures }) => section === 'soak' && side === 'service' && figures['minute'] !== undefined,
  );
  return {
    ...(compared.length > 0 && { 'bench-rates': ratesChart(compared), 'bench-times': timesChart(compared) }),
    ...(growth.length > 0 && { 'bench-growth': growthChart(growth) }),
    ...(minutes.length > 1 && { 'bench-soak-memory': memoryChart(minutes), 'bench-soak-times': minutesChart(minutes) }),
  };
};

/** What the floor has the like of. */
const isCompared = ({ section, load, side }: Summary): boolean =>
  ['spread', 'hot', 'reads'].includes(section) &&
  (side === 'service' || side === 'floor') &&
  !/batch|one node/u.test(load);

/** Loads beside one another, numbered from 1. */
const loadsAxis = (summaries: ReadonlyArray<Summary>): Axis & { readonly loads: ReadonlyArray<string> } => {
  const loads = [...new Set(summaries.map(({ load }) => load))];
  const names = loads.map((load) => load.replace(/, \d+ callers$/u, (text) => ` x${text.replace(/\D+/gu, '')}`));
  return {
    name: 'load x callers',
    from: 0.4,
    to: loads.length + 0.6,
    ticks: loads.map((_, index) => index + 1),
    names,
    loads,
  };
};

const ratesChart = (summaries: ReadonlyArray<Summary>): Chart => {
  const { loads, ...x } = loadsAxis(summaries);
  const of = (side: string, shift: number) =>
    summaries
      .filter((summary) => summary.side === side)
      .map(({ load, figures }) => [loads.indexOf(load) + 1 + shift, figures['perSecond'] ?? 0] as const);
  return {
    title: 'Calls a second: medians of the rounds',
    x,
    y: upTo(
      'calls a second',
      summaries.map(({ figures }) => figures['perSecond'] ?? 0),
    ),
    series: [
      { kind: 'bars', colour: FLOOR, name: 'floor', points: of('floor', -0.1) },
      { kind: 'bars', colour: SERVICE, name: 'service', points: of('service', 0.1) },
    ],
  };
};

const timesChart = (summaries: ReadonlyArray<Summary>): Chart => {
  const { loads, ...x } = loadsAxis(summaries);
  const of = (side: string, name: string, shift: number) =>
    summaries
      .filter((summary) => summary.side === side)
      .map(({ load, figures }) => [loads.indexOf(load) + 1 + shift, figures[name] ?? 1] as const);
  return {
    title: 'Times of calls: medians of the rounds',
    x,
    y: { name: 'ms', from: 1, to: 10_000, ticks: [1, 10, 100, 1_000, 10_000], logarithmic: true },
    series: [
      { kind: 'marks', colour: FLOOR, name: 'floor, p50', points: of('floor', 'p50', -0.15) },
      { kind: 'marks', colour: '#607d8b', name: 'floor, p99', points: of('floor', 'p99', -0.05) },
      { kind: 'marks', colour: SERVICE, name: 'service, p50', points: of('service', 'p50', 0.05) },
      { kind: 'marks', colour: '#c62828', name: 'service, p99', points: of('service', 'p99', 0.15) },
    ],
  };
};

const growthChart = (summaries: ReadonlyArray<Summary>): Chart => {
  const nodes = ({ load }: Summary): number => Number.parseInt(load, 10);
  const counts = [...new Set(summaries.map(nodes))];
  const x = { from: Math.min(...counts) / 1.5, to: Math.max(...counts) * 1.5, ticks: counts, logarithmic: true };
  return {
    title: 'Measurements a second by the number of nodes',
    x: { ...x, name: 'nodes' },
    y: upTo(
      'calls a second',
      summaries.map(({ figures }) => figures['perSecond'] ?? 0),
    ),
    series: [...new Set(summaries.map(({ side }) => side))].map((side, index) => ({
      kind: 'line',
      colour: COLOURS[index] ?? SERVICE,
      name: side,
      points: summaries
        .filter((summary) => summary.side === side)
        .map((summary) => [nodes(summary), summary.figures['perSecond'] ?? 0] as const),
    })),
  };
};

const overMinutes = (rows: ReadonlyArray<Row>, names: Readonly<Record<string, string>>, scale = 1) => {
  const minutes = rows.map(({ figures }) => figures['minute'] ?? 0);
  const value = ({ figures }: Row, name: string): number => (figures[name] ?? 0) * scale;
  const values = rows.flatMap((row) => Object.values(names).map((name) => value(row, name)));
  const step = Math.max(1, Math.round(minutes.length / 10));
  const ticks = minutes.filter((minute) => minute % step === 0);
  return {
    x: { name: 'minute', from: 1, to: Math.max(2, ...minutes), ticks },
    values,
    series: Object.entries(names).map(([title, name], index) => ({
      kind: 'line' as const,
      colour: COLOURS[index] ?? SERVICE,
      name: title,
      points: rows.map((row) => [row.figures['minute'] ?? 0, value(row, name)] as const),
    })),
  };
};

const memoryChart = (rows: ReadonlyArray<Row>): Chart => {
  const names = {
    worker: 'resident worker',
    API: 'resident api',
    Temporal: 'resident temporal',
    Redis: 'resident redis',
  };
  const { x, values, series } = overMinutes(rows, names, 1e-6);
  return { title: 'Resident memory over the minutes', x, y: upTo('MB', values), series };
};

const minutesChart = (rows: ReadonlyArray<Row>): Chart => {
  const { x, values, series } = overMinutes(rows, { 'p50 ms': 'p50', 'p99 ms': 'p99', 'calls a second': 'perSecond' });
  return { title: 'Rate and times over the minutes', x, y: upTo('ms, calls a second', values), series };
};

/** From 0 to a round number above all values. */
const upTo = (name: string, values: ReadonlyArray<number>): Axis => {
  const most = Math.max(1, ...values);
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((times) => times * unit).find((one) => most / one <= 6) ?? unit;
  const count = Math.ceil(most / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 100) / 100);
  return { name, from: 0, to: count * step, ticks };
};
