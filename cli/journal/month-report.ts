import { nameOf } from '../table';
import { printable } from '../failure';
import type { Flood, MonthFigures, PartAlarms, TenMinutes } from '../forward/postgres/month';

/** A table of the report, with a line about what it holds. */
export interface Section {
  readonly title: string;
  readonly about: string;
  readonly heads: ReadonlyArray<string>;
  readonly rows: ReadonlyArray<ReadonlyArray<string>>;
}

/** The tables of a month that have rows. `named` gives the name that people use for a node. */
export const monthReport = (figures: MonthFigures, named: (node: string) => string): ReadonlyArray<Section> => {
  const { floods, frequentParts, chatteringParts, fleetingParts, standing, silentNodes, until, now } = figures;
  const partRow =
    (count: (part: PartAlarms) => number) =>
    (part: PartAlarms): ReadonlyArray<string> => [named(part.node), partName(part), String(count(part))];
  const sections = [
    { title: 'Figures', about: aboutTime(figures), heads: ['FIGURE', 'VALUE', 'ISA-18.2'], rows: figureRows(figures) },
    {
      title: 'The longest floods',
      about: 'From ten minutes with more than ten alarms on, until ten minutes with fewer than five.',
      heads: ['BEGAN', 'LASTED', 'ALARMS'],
      rows: floods
        .toSorted((one, other) => lengthOf(other) - lengthOf(one))
        .slice(0, 10)
        .map((flood) => [minuteText(flood.began), durationText(lengthOf(flood)), String(flood.alarms)]),
    },
    {
      title: 'The most frequent',
      about: 'Parts by the number of their alarms, and their share of all.',
      heads: ['NODE', 'PART', 'ALARMS', 'SHARE'],
      rows: frequentParts.map((part) => [
        ...partRow(({ alarms }) => alarms)(part),
        percent(part.alarms, figures.alarms),
      ]),
    },
    {
      title: 'Chattering',
      about: 'Three or more alarms of one part began within a minute.',
      heads: ['NODE', 'PART', 'ALARMS'],
      rows: chatteringParts.map(partRow(({ chattering }) => chattering)),
    },
    {
      title: 'Fleeting',
      about: 'Alarms that ended within a minute, and do not chatter.',
      heads: ['NODE', 'PART', 'ALARMS'],
      rows: fleetingParts.map(partRow(({ fleeting }) => fleeting)),
    },
    {
      title: 'Standing for more than 24 hours',
      about: 'In this month; the longest first.',
      heads: ['NODE', 'PART', 'BEGAN', 'ENDED', 'STOOD'],
      rows: standing.map(({ began, ended, ...part }) => [
        ...[named(part.node), partName(part), minuteText(began), ended === null ? 'not yet' : minuteText(ended)],
        durationText(Math.min(ended?.getTime() ?? Infinity, until.getTime()) - began.getTime()),
      ]),
    },
    {
      title: 'Silent now',
      about: `Nodes without a measurement for more than ${durationText(figures.silentAfter)}, at ${minuteText(now)}.`,
      heads: ['NODE', 'LAST MEASURED', 'SILENT FOR'],
      rows: silentNodes.map(({ node, measured_at, ms }) => [named(node), minuteText(measured_at), durationText(ms)]),
    },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
};

const aboutTime = ({ month, until, now }: MonthFigures): string =>
  `${month.name}${until.getTime() === now.getTime() ? `, until ${minuteText(now)}` : ''}. All times are UTC.`;

/** The last column has the targets of ISA-18.2 (2016, "Alarm performance metrics") for the alarms of one operator. */
const figureRows = (figures: MonthFigures): ReadonlyArray<ReadonlyArray<string>> => {
  const { month, until, alarms, chattering, fleeting, byTenMinutes, floods, frequentParts, acknowledged } = figures;
  const worst = worstOf(byTenMinutes);
  const inFloods = floods.reduce((sum, flood) => sum + lengthOf(flood), 0);
  const ofFrequent = frequentParts.reduce((sum, part) => sum + part.alarms, 0);
  const { half, most } = acknowledged;
  return [
    ['alarms', String(alarms), ''],
    ['alarms in ten minutes, on average', (alarms / Math.max(1, byTenMinutes.length)).toFixed(2), 'about 1, at most 2'],
    [
      'alarms in the worst ten minutes',
      worst === undefined ? '0' : `${worst.alarms} (${minuteText(worst.at)})`,
      'at most 10',
    ],
    [
      'time in flood',
      `${percent(inFloods, until.getTime() - month.since.getTime())} (floods: ${floods.length})`,
      'below 1 %',
    ],
    ['share of the ten most frequent', percent(ofFrequent, alarms), 'at most 5 %'],
    ['chattering alarms', String(chattering), '0'],
    ['fleeting alarms', String(fleeting), '0'],
    ['stood for more than 24 hours', `${figures.stood} (${figures.standAtEnd} at the end)`, 'below 5 on any day'],
    ['acknowledged', `${acknowledged.alarms} of ${alarms}`, ''],
    ['time to acknowledge, median', half === null ? '-' : durationText(half), ''],
    ['time to acknowledge, of nine in ten', most === null ? '-' : durationText(most), ''],
    [`silent now for more than ${durationText(figures.silentAfter)}`, `${figures.silent} nodes`, ''],
    ['last measurement of any node', figures.lastMeasured === null ? '-' : minuteText(figures.lastMeasured), ''],
  ];
};

const worstOf = (byTenMinutes: ReadonlyArray<TenMinutes>): TenMinutes | undefined =>
  byTenMinutes.reduce<TenMinutes | undefined>(
    (worst, one) => (one.alarms > (worst?.alarms ?? 0) ? one : worst),
    undefined,
  );

const lengthOf = ({ began, ended }: Flood): number => ended.getTime() - began.getTime();

export const partName = ({ part, label }: { readonly part: string; readonly label: string | null }): string =>
  printable(nameOf({ part, label: label ?? undefined }));

/** A time in UTC, to the minute. */
export const minuteText = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ');

const percent = (part: number, all: number): string => (all === 0 ? '-' : `${((100 * part) / all).toFixed(2)} %`);

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A duration (ms) in its two greatest units: `3 d 4 h`, `12 s`. */
export const durationText = (ms: number): string => {
  const first = UNITS.findIndex(([, of]) => ms >= of);
  if (first < 0) return '0 s';
  let left = ms;
  const counts = UNITS.slice(first, first + 2).map(([unit, of]) => {
    const count = Math.floor(left / of);
    left -= count * of;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return counts.filter((text) => text !== '').join(' ');
};
