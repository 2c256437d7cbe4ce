import type { ExplainedPart } from './explain-rating';
import { ALERT, statusNames, type Status } from '../../workflows/domain/alarm/status';
import { nameOf, tableOf } from '../table';

/** The status of each part after a measurement; `at` is the time of the measurement (epoch ms). */
export interface RatedMeasurement {
  readonly at: number;
  readonly parts: ReadonlyArray<Pick<ExplainedPart, 'part' | 'label' | 'status' | 'value' | 'unit'>>;
}

/** A period in which a part would have had one status, ALERT or DANGER, up to the first measurement with another status. */
interface Episode extends Named {
  readonly status: Status;
  readonly from: number;
  readonly to?: number;
  readonly measurements: number;
}

type Named = Pick<ExplainedPart, 'part' | 'label'>;

interface Step extends Pick<ExplainedPart, 'status' | 'value' | 'unit'> {
  readonly at: number;
}

/**
 * How often and when each part would have been in ALERT or DANGER if a node had got these measurements in order of time.
 * `shares` are fractions of the time from the first to the last measurement, or 0 if that time is 0. `values` were compared
 * with the limits, and help to choose better limits. They have one `unit`, or `units` if the measurements differ in units.
 */
export const backTest = (rated: ReadonlyArray<RatedMeasurement>) => {
  const byPart = new Map<string, { named: Named; steps: Step[] }>();
  for (const { at, parts } of rated.toSorted((one, other) => one.at - other.at))
    for (const { part, label, ...rating } of parts) {
      const known = byPart.get(part) ?? { named: { part, ...(label !== undefined && { label }) }, steps: [] };
      known.steps.push({ at, ...rating });
      byPart.set(part, known);
    }
  return [...byPart.values()].map(({ named, steps }) => {
    const episodes = episodesOf(named, steps);
    const counts = { 0: 0, 1: 0, 2: 0, 3: 0, 4: 0 };
    for (const { status } of steps) counts[status] += 1;
    const [first, last] = [steps[0]?.at ?? 0, steps.at(-1)?.at ?? 0];
    const shareOf = (status: Status): number => (last === first ? 0 : spentIn(episodes, status, last) / (last - first));
    const values = steps.flatMap(({ value }) => value ?? []);
    const units = [...new Set(steps.flatMap(({ unit }) => unit ?? []))];
    const measured = values.length > 0 && { ...(units.length > 1 ? { units } : { unit: units[0] }), values };
    return { ...named, ...measured, counts, shares: { alert: shareOf(3), danger: shareOf(4) }, episodes };
  });
};

const spentIn = (episodes: ReadonlyArray<Episode>, wanted: Status, end: number): number =>
  episodes.filter(({ status }) => status === wanted).reduce((sum, { from, to = end }) => sum + to - from, 0);

const episodesOf = (named: Named, steps: ReadonlyArray<Step>): ReadonlyArray<Episode> => {
  const episodes: Episode[] = [];
  let open: Episode | undefined;
  for (const { at, status } of steps) {
    if (open?.status === status) {
      open = { ...open, measurements: open.measurements + 1 };
      continue;
    }
    if (open !== undefined) episodes.push({ ...open, to: at });
    open = status >= ALERT ? { ...named, status, from: at, measurements: 1 } : undefined;
  }
  return open === undefined ? episodes : [...episodes, open];
};

export const backTestTables = (parts: ReturnType<typeof backTest>): ReadonlyArray<string> => {
  const episodes = parts.flatMap((part) => part.episodes);
  const table = tableOf([
    ['PART', 'NO_DATA', 'GOOD', 'ALERT', 'DANGER', 'TIMES', 'TIME IN ALERT', 'TIME IN DANGER'],
    ...parts.map((part) => [
      nameOf(part),
      ...[part.counts[1], part.counts[2], part.counts[3], part.counts[4], part.episodes.length].map(String),
      ...[part.shares.alert, part.shares.danger].map((share) => `${(100 * share).toFixed(1)} %`),
    ]),
  ]);
  if (episodes.length === 0) return table;
  const times = tableOf([
    ['PART', 'STATUS', 'FROM', 'TO', 'MEASUREMENTS'],
    ...episodes.map((episode) => [
      nameOf(episode),
      statusNames[episode.status],
      new Date(episode.from).toISOString(),
      episode.to === undefined ? 'the end' : new Date(episode.to).toISOString(),
      String(episode.measurements),
    ]),
  ]);
  return [...table, '', ...times];
};
