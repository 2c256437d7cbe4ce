import type { Colors } from 'picocolors/types';
import { alarmParts } from '../consumer';
import { ALERT, DANGER, GOOD, statusNames, type Status } from '../workflows/domain/alarm/status';

/** The parts that a node holds, in one line: `overall DANGER, bands 1 ALERT 4 GOOD`. */
export const partsLine = (parts: Parameters<typeof alarmParts>[0]): string => {
  const all = alarmParts(parts);
  const kinds = new Set(all.map(({ part }) => kindOf(part)));
  return [...kinds]
    .map((kind) => {
      const single = all.find(({ part }) => part === kind);
      if (single !== undefined) return `${kind} ${statusNames[single.status]}`;
      return `${kind}s ${countsLine(all.filter(({ part }) => kindOf(part) === kind).map(({ status }) => status))}`;
    })
    .join(', ');
};

/** What `part` is one of: `band 0` is a `band`. */
const kindOf = (part: string): string => part.replace(/ \d+$/u, '');

/** The count of each status, the worst first: `1 DANGER 4 GOOD`. */
export const countsLine = (statuses: ReadonlyArray<Status>): string =>
  WORST_FIRST.map((status) => ({ status, count: statuses.filter((other) => other === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${statusNames[status]}`)
    .join(' ');

const WORST_FIRST = [4, 3, 2, 1, 0] as const;

/** The colour of a status, as on a traffic light. */
export const painted = ({ red, yellow, green, dim, bold }: Colors, status: Status, text: string): string => {
  switch (status) {
    case DANGER:
      return bold(red(text));
    case ALERT:
      return yellow(text);
    case GOOD:
      return green(text);
    default:
      return dim(text);
  }
};
