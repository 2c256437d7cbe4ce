import type { Handle } from '../../../stream/consumer';
import { alarmParts, limitLines, type AlarmPart } from '../../../workflows/domain/alarm/alarm-lines';
import { ALERT, DANGER } from '../../../workflows/domain/alarm/status';

/** An alarm of a part, as long as it has one severity. Times are epoch ms. */
export interface Alarm extends Omit<AlarmPart, 'status' | 'why'> {
  readonly severity: 'alert' | 'danger';
  readonly startsAt: number;
  readonly limits?: string;
}

export interface EndedAlarm extends Alarm {
  readonly endsAt: number;
  /** When the forwarder handled the end; long after it where it was behind. */
  readonly handledAt: number;
}

/** The alarms of a node: those that last, and those that ended not long ago. */
export interface NodeAlarms {
  readonly active: ReadonlyArray<Alarm>;
  readonly ended: ReadonlyArray<EndedAlarm>;
}

/**
 * How long (ms) after it was handled the end of an alarm is sent again: an Alertmanager that was unavailable meanwhile must
 * learn of it. As long as Prometheus does it.
 */
const ENDED_KEPT_MS = 15 * 60_000;

/** The alarms of a node after an event of `at`, handled `now`, which held `parts`. */
export const afterEvent = (
  before: NodeAlarms,
  parts: ReadonlyArray<AlarmPart>,
  limitsByPart: Limits,
  at: number,
  now: number,
): NodeAlarms => {
  const known = new Map(before.active.map((alarm) => [keyOf(alarm), alarm]));
  const active = parts.flatMap(({ status, why: _, ...part }): ReadonlyArray<Alarm> => {
    if (status < ALERT) return [];
    const severity = status === DANGER ? 'danger' : 'alert';
    const limits = limitsByPart[part.part];
    const startsAt = known.get(keyOf({ ...part, severity }))?.startsAt ?? at;
    return [{ ...part, severity, startsAt, ...(limits !== undefined && { limits }) }];
  });
  const lasting = new Set(active.map(keyOf));
  const over = before.active.filter((alarm) => !lasting.has(keyOf(alarm)));
  const ending = over.map((alarm) => ({ ...alarm, endsAt: Math.max(at, alarm.startsAt), handledAt: now }));
  const overAgain = new Set([...lasting, ...over.map(keyOf)]);
  const endedBefore = before.ended.filter((alarm) => !overAgain.has(keyOf(alarm)));
  return { active, ended: recent([...endedBefore, ...ending], now) };
};

export const recent = (ended: ReadonlyArray<EndedAlarm>, now: number): ReadonlyArray<EndedAlarm> =>
  ended.filter(({ handledAt }) => now - handledAt < ENDED_KEPT_MS);

/** What makes an alarm another one for Alertmanager: the members that become labels. */
const keyOf = ({ part, label, severity }: Pick<Alarm, 'part' | 'label' | 'severity'>): string =>
  JSON.stringify([part, label ?? '', severity]);

/** The hashes that the group keeps, by node: its alarms, its limits, and the event by which its alarms changed last. */
export const KEPT = { alarms: 'alarms', limits: 'limits', changed: 'changed' } as const;

type Limits = Readonly<Record<string, string | undefined>>;

/** Works out the alarms of a node, and marks the node where they changed: the delivery sends them. */
export const handleEvent: Handle = async (event, kept) => {
  if (event.type === 'SetPointAlarmThresholdEvent') {
    const limits = limitLines(event.threshold);
    return { texts: { [KEPT.limits]: Object.keys(limits).length === 0 ? null : JSON.stringify(limits) } };
  }
  const parts = alarmParts(event);
  const known = await kept(KEPT.alarms);
  const isAlarming = parts.some(({ status }) => status >= ALERT);
  if (known === undefined && !isAlarming) return undefined;
  const limits = isAlarming ? (JSON.parse((await kept(KEPT.limits)) ?? '{}') as Limits) : {};
  const alarms = afterEvent(alarmsOf(known), parts, limits, event.updatedAt, Date.now());
  const text = JSON.stringify(alarms);
  if (text === known) return undefined;
  const isEmpty = alarms.active.length + alarms.ended.length === 0;
  return { texts: { [KEPT.alarms]: isEmpty ? null : text, [KEPT.changed]: event.sequenceId } };
};

export const alarmsOf = (text?: string): NodeAlarms =>
  text === undefined ? { active: [], ended: [] } : (JSON.parse(text) as NodeAlarms);
