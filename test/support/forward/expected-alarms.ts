import { severities, type Delays, type Severity } from '../../../cli/forward/alertmanager/alarms';

/** What an event says of one part, and when (ms). */
export interface PartEvent {
  readonly at: number;
  readonly status: 0 | 1 | 2 | 3 | 4;
}

/** An alarm as people are told of it; without `endsAt` it lasts. */
export interface ExpectedAlarm {
  readonly severity: Severity;
  readonly startsAt: number;
  readonly endsAt?: number;
}

/** What is due at a time comes before the first event of that time. */
type Moment = readonly [time: number, event: number];
const isBefore = ([time, event]: Moment, [other, otherEvent]: Moment): boolean =>
  time < other || (time === other && event < otherEvent);

/** The time in which a severity holds without a break, and from when to when it fires for that. */
interface Run {
  readonly begin: Moment;
  readonly end: Moment;
  readonly fires: Moment;
  readonly over: Moment;
}
const NEVER: Moment = [Infinity, 0];

/** The runs of a severity, each by the one before, from what the words of docs/forwarding.md say. */
const runsOf = (events: ReadonlyArray<PartEvent>, severity: Severity, { for: ms, keepFiringFor }: Delays[Severity]) => {
  const holds = (at: number): boolean => (events[at]?.status ?? 0) >= (severity === 'danger' ? 4 : 3);
  const momentOf = (at: number): Moment => [events[at]?.at ?? Infinity, at + 1];
  const runs: Run[] = [];
  events.forEach((_, at) => {
    if (!holds(at) || (at > 0 && holds(at - 1))) return;
    const next = events.findIndex((__, later) => later > at && !holds(later));
    const [begin, end] = [momentOf(at), next === -1 ? NEVER : momentOf(next)];
    const last = runs.at(-1);
    const firesOn = last !== undefined && isBefore(begin, last.over);
    const due: Moment = firesOn || ms === 0 ? begin : [begin[0] + ms, 0];
    const fires = isBefore(due, end) ? due : NEVER;
    const over: Moment = fires === NEVER ? begin : keepFiringFor === 0 ? end : [end[0] + keepFiringFor, 0];
    runs.push({ begin, end, fires, over });
  });
  return runs;
};

/** The alarms of a part by its events as of `until`, at which no further event came: each moment is looked at. */
export const expectedAlarms = (
  events: ReadonlyArray<PartEvent>,
  delays: Delays,
  until: number,
): ReadonlyArray<ExpectedAlarm> => {
  const runs = { danger: runsOf(events, 'danger', delays.danger), alert: runsOf(events, 'alert', delays.alert) };
  const moments: Moment[] = events.map(({ at }, event) => [at, event + 1]);
  for (let time = 0; time <= until; time += 1) moments.push([time, 0]);
  moments.sort((one, other) => (isBefore(one, other) ? -1 : 1));
  const alarms: ExpectedAlarm[] = [];
  for (const moment of moments) {
    const isIn = (from: Moment, to: Moment): boolean => !isBefore(moment, from) && isBefore(moment, to);
    const now = alarms.at(-1);
    const before = now?.endsAt === undefined ? now : undefined;
    const severity = severities.find((one) =>
      runs[one].some(({ end, fires, over }, at) => {
        const next = runs[one][at + 1];
        const isFiring = isIn(fires, next !== undefined && isBefore(next.begin, over) ? next.begin : over);
        return isFiring && (before?.severity === one || isBefore(moment, end));
      }),
    );
    if (severity === before?.severity) continue;
    if (before !== undefined) alarms[alarms.length - 1] = { ...before, endsAt: moment[0] };
    if (severity !== undefined) alarms.push({ severity, startsAt: moment[0] });
  }
  return alarms;
};
