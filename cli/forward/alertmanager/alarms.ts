import type { AlarmPart } from '../../../workflows/domain/alarm/alarm-lines';
import { ALERT, DANGER, type Status } from '../../../workflows/domain/alarm/status';

/**
 * Decides when Alertmanager is told of a node's alarms, from the times of the node's events.
 *
 * Each severity has a rule, as in Prometheus. The ALERT rule holds while a part is in ALERT or DANGER, the DANGER rule while
 * the part is in DANGER. A rule that holds is pending until it has held for its `for`; then it fires. A rule that fires ends
 * once it has not held for its `keepFiringFor`. Only the worst rule that fires is told, as an alert that lasts until the rule
 * ends or a worse one fires. When DANGER ends, ALERT is told only if its rule still holds.
 *
 * The stored state depends on the events alone, up to the last one; `alarmsAt` adds what has become due since then. So a late
 * event has the same effect as one in time, and corrects what was told too early. What was due before an event happens first.
 *
 * All times are epoch ms, all durations ms.
 */
export type Severity = (typeof severities)[number];
/** The worst first. */
export const severities = ['danger', 'alert'] as const;

/** Per severity: how long an alarm must last before it is told, and how long it is still told after the part became good. */
export type Delays = Readonly<Record<Severity, { readonly for: number; readonly keepFiringFor: number }>>;

const AT_ONCE = { for: 0, keepFiringFor: 0 };
export const noDelays: Delays = { danger: AT_ONCE, alert: AT_ONCE };

/** A rule that holds, or that still fires although it no longer holds. */
interface Rule {
  /** When it began to hold. Since then it may have stopped holding and begun again, if it fired all the time. */
  readonly since: number;
  readonly isFiring: boolean;
  /** When it stopped holding; absent while it holds. */
  readonly goodSince?: number;
}

type Rules = Readonly<Partial<Record<Severity, Rule>>>;

/** A part with a rule that holds or still fires. The measurement, value and limits are those when it was last in alarm. */
interface Pending extends Omit<AlarmPart, 'status' | 'why'> {
  readonly limits?: string;
  /** Missing if no delays are set, because the rules then follow from the severity. */
  readonly rules?: Rules;
}

/** An alarm that is told. The same part with another severity is another alarm. */
export interface Alarm extends Pending {
  readonly severity: Severity;
  readonly startsAt: number;
}

export interface EndedAlarm extends Alarm {
  readonly endsAt: number;
  /** When the forwarder handled the end; if the forwarder was behind, this is long after the end. */
  readonly handledAt: number;
}

/** The alarms of a node: told (`active`), not told yet (`pending`), and ended a short time ago (`ended`). */
export interface NodeAlarms {
  readonly active: ReadonlyArray<Alarm>;
  readonly pending?: ReadonlyArray<Pending>;
  readonly ended: ReadonlyArray<EndedAlarm>;
}

/** Time (ms) for which the end of an alarm is sent again, as in Prometheus, in case an Alertmanager was unavailable. */
const ENDED_KEPT_MS = 15 * 60_000;

/** A node's event: its parts with their limits, when it happened (`at`), and when it is handled (`now`). */
export interface HandledEvent {
  readonly parts: ReadonlyArray<AlarmPart>;
  readonly limits: Readonly<Record<string, string | undefined>>;
  readonly at: number;
  /** The time up to which alarms may have been told before the effect of this event is stored. */
  readonly notifiedUntil: number;
  /** Whether ends of alarms may still wait to be sent. If so, old ends are kept, too. */
  readonly keepsEnds?: boolean;
  readonly now: number;
}

export const afterEvent = (before: NodeAlarms, event: HandledEvent, delays: Delays = noDelays): NodeAlarms => {
  const { at, notifiedUntil, keepsEnds = false, now } = event;
  const known = new Map([...before.active, ...(before.pending ?? [])].map((part) => [partKeyOf(part), part]));
  const held = new Set(event.parts.map(partKeyOf));
  const steps = [
    ...event.parts.map((part) => stepOf(known.get(partKeyOf(part)), part, event, delays)),
    ...[...known.values()]
      .filter((part) => !held.has(partKeyOf(part)))
      .map((part) => stepOf(part, part, event, delays)),
  ];
  const active = steps.flatMap(({ part }) => (isActiveAlarm(part) ? [part] : []));
  const pending = steps.flatMap(({ part }) => (part === undefined || isActiveAlarm(part) ? [] : [part]));
  const ends = steps.flatMap(({ ended }) => ended);
  const currentKeys = new Set([...active, ...ends].map(keyOf));
  // Alarms that may have been told before this event, although the event shows that they did not happen.
  const notified = alarmsAt(before, notifiedUntil, delays);
  const early = [
    ...notified.active.map((alarm) => ({ ...alarm, endsAt: Math.max(at, alarm.startsAt) })),
    ...notified.ended.filter((alarm) => !before.ended.includes(alarm)),
  ].filter((alarm) => !currentKeys.has(keyOf(alarm)));
  const over = inOrderOf(before.active, [...ends, ...early]);
  const ending = over.map(({ rules: _, ...alarm }) => ({ ...alarm, handledAt: now }));
  const ended = mergeEnds(before.ended, ending, active);
  return { active, ...(pending.length > 0 && { pending }), ended: keepsEnds ? ended : recent(ended, now) };
};

/** The alarms at `until`, if no event came after `alarms` were stored. An end since then counts as handled when it was due. */
export const alarmsAt = (alarms: NodeAlarms, until: number, delays: Delays): NodeAlarms => {
  const steps = [...alarms.active, ...(alarms.pending ?? [])].map((part) => advance(part, until, delays));
  const active = steps.flatMap(({ part }) => (isActiveAlarm(part) ? [part] : []));
  const pending = steps.flatMap(({ part }) => (part === undefined || isActiveAlarm(part) ? [] : [part]));
  const ending = steps.flatMap(({ ended }) =>
    ended.map(({ rules: _, ...alarm }) => ({ ...alarm, handledAt: alarm.endsAt })),
  );
  return { active, ...(pending.length > 0 && { pending }), ended: mergeEnds(alarms.ended, ending, active) };
};

/** When an alarm of the node is next told, or ends, if no event comes; undefined if no alarm will. */
export const nextDue = ({ active, pending = [] }: NodeAlarms, delays: Delays): number | undefined =>
  least([...active, ...pending].map((part) => dueOf(part, delays)));

const recent = (ended: ReadonlyArray<EndedAlarm>, now: number): ReadonlyArray<EndedAlarm> =>
  ended.filter(({ handledAt }) => isRecent(handledAt, now));

/** Whether an end that was handled at `handledAt` is still sent again. */
export const isRecent = (handledAt: number, now: number): boolean => now - handledAt < ENDED_KEPT_MS;

/** The known and new ends, one per alarm and none of an active one: Alertmanager tells alarms apart by their labels alone. */
const mergeEnds = (
  known: ReadonlyArray<EndedAlarm>,
  ending: ReadonlyArray<EndedAlarm>,
  active: ReadonlyArray<Alarm>,
): ReadonlyArray<EndedAlarm> => {
  const lasting = new Set(active.map(keyOf));
  const last = new Map(ending.map((alarm) => [keyOf(alarm), alarm]));
  const over = known.filter((alarm) => !last.has(keyOf(alarm)));
  return [...over, ...last.values()].filter((alarm) => !lasting.has(keyOf(alarm)));
};

const inOrderOf = <A extends Alarm>(order: ReadonlyArray<Alarm>, alarms: ReadonlyArray<A>): ReadonlyArray<A> => {
  const places = new Map(order.map((alarm, place) => [keyOf(alarm), place]));
  const placeOf = (alarm: Alarm): number => places.get(keyOf(alarm)) ?? order.length;
  return [...alarms].sort((one, other) => placeOf(one) - placeOf(other));
};

type Ending = Alarm & { readonly endsAt: number };

/** A part after an event or a due time (undefined if none of its rules holds or fires), and the alarms that ended then. */
interface Step {
  readonly part: Pending | Alarm | undefined;
  readonly ended: ReadonlyArray<Ending>;
}

const isActiveAlarm = (part: Pending | Alarm | undefined): part is Alarm => part !== undefined && 'severity' in part;

/** A part after an event. `status` is missing if the node no longer has the part, so that no rule holds. */
const stepOf = (
  known: Pending | Alarm | undefined,
  { status = 0, why: _, ...measured }: Omit<AlarmPart, 'status'> & { readonly status?: Status },
  { at, limits }: HandledEvent,
  delays: Delays,
): Step => {
  if (known === undefined && status < ALERT) return { part: undefined, ended: [] };
  const { part: before, ended } = known === undefined ? { part: undefined, ended: [] } : advance(known, at, delays);
  const rules = mapped((severity) => ruleAfterEvent(rulesOf(before)[severity], status >= STATUS_OF[severity], at));
  const limit = limits[measured.part];
  const alarming = { ...measured, ...(limit !== undefined && { limits: limit }) };
  const shown = status < ALERT ? (before ?? measured) : alarming;
  const after = applyRules(before, shown, rulesAt(rules, at, delays), at, delays);
  return { part: after.part, ended: [...ended, ...after.ended] };
};

const STATUS_OF: Readonly<Record<Severity, Status>> = { alert: ALERT, danger: DANGER };

/** A rule after an event at the time `at`, from which on it holds or not; undefined if it neither holds nor fires. */
const ruleAfterEvent = (rule: Rule | undefined, holds: boolean, at: number): Rule | undefined => {
  if (rule === undefined) return holds ? { since: at, isFiring: false } : undefined;
  const { since, isFiring, goodSince } = rule;
  if (holds) return { since: Math.min(since, at), isFiring };
  return isFiring ? { since, isFiring, goodSince: Math.min(goodSince ?? at, at) } : undefined;
};

/** The rules at `until`: each rule that was due by then has begun to fire, or has ended. */
const rulesAt = (rules: Rules, until: number, delays: Delays): Rules =>
  mapped((severity) => {
    const rule = rules[severity];
    if (rule === undefined || !(dueOfRule(rule, delays[severity]) <= until)) return rule;
    return rule.isFiring ? undefined : { ...rule, isFiring: true };
  });

/** When a rule will fire or end if no event comes; never (`Infinity`) while it fires and holds. */
const dueOfRule = ({ since, isFiring, goodSince }: Rule, delays: Delays[Severity]): number =>
  goodSince !== undefined ? goodSince + delays.keepFiringFor : isFiring ? Infinity : since + delays.for;

const dueOf = (part: Pending | Alarm, delays: Delays): number | undefined => {
  const rules = rulesOf(part);
  return least(severities.map((severity) => rules[severity] && dueOfRule(rules[severity], delays[severity])));
};

/** A part at `until`, if no event came since `from`, and the alarms that ended since. */
const advance = (from: Pending | Alarm, until: number, delays: Delays): Step => {
  const ended: Ending[] = [];
  let part: Pending | Alarm | undefined = from;
  for (let due = dueOf(part, delays); part !== undefined && due !== undefined && due <= until;) {
    const step: Step = applyRules(part, part, rulesAt(rulesOf(part), due, delays), due, delays);
    ended.push(...step.ended);
    part = step.part;
    due = part && dueOf(part, delays);
  }
  return { part, ended };
};

/** The part that has `rules` from `at` on, with the measurement of `known`, and the alarm that ends because of these rules. */
const applyRules = (
  before: Pending | Alarm | undefined,
  known: Pending,
  rules: Rules,
  at: number,
  delays: Delays,
): Step => {
  const activeBefore = isActiveAlarm(before) ? before : undefined;
  const severity = severities.find(
    (one) => rules[one]?.isFiring === true && (one === activeBefore?.severity || rules[one].goodSince === undefined),
  );
  const ended =
    activeBefore === undefined || activeBefore.severity === severity
      ? []
      : [{ ...activeBefore, endsAt: Math.max(at, activeBefore.startsAt) }];
  if (Object.keys(rules).length === 0) return { part: undefined, ended };
  const { severity: _, startsAt: __, rules: ___, ...of } = known as Partial<Alarm> & Pending;
  const startsAt = activeBefore !== undefined && activeBefore.severity === severity ? activeBefore.startsAt : at;
  const { limits, ...others } = of;
  return {
    part: {
      ...others,
      ...(severity !== undefined && { severity, startsAt }),
      ...(limits !== undefined && { limits }),
      ...((delays !== noDelays || known.rules !== undefined) && { rules }),
    },
    ended,
  };
};

const rulesOf = (part: Pending | Alarm | undefined): Rules => {
  if (part?.rules !== undefined) return part.rules;
  if (!isActiveAlarm(part)) return {};
  const rule = { since: part.startsAt, isFiring: true };
  return part.severity === 'danger' ? { danger: rule, alert: rule } : { alert: rule };
};

/** The rules of the severities for which `ruleOf` gives one. */
const mapped = (ruleOf: (severity: Severity) => Rule | undefined): Rules =>
  Object.fromEntries(
    severities.map((severity) => [severity, ruleOf(severity)] as const).filter(([, rule]) => rule !== undefined),
  );

const least = (times: ReadonlyArray<number | undefined>): number | undefined => {
  const soonest = Math.min(...times.map((time) => time ?? Infinity));
  return soonest === Infinity ? undefined : soonest;
};

/** The keys (`partKeyOf`) of the parts whose severity an event changes. */
export const changedParts = (
  { active, pending = [] }: NodeAlarms,
  parts: ReadonlyArray<AlarmPart>,
): ReadonlyArray<string> => {
  const before = new Map([...active, ...pending].map((part) => [partKeyOf(part), levelOf(part)]));
  const after = new Map(parts.map((part) => [partKeyOf(part), Math.max(part.status, ALERT - 1)]));
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => (before.get(key) ?? ALERT - 1) !== (after.get(key) ?? ALERT - 1),
  );
};

/** The status of a part by the rules that hold; every status below ALERT counts as GOOD. */
const levelOf = (part: Pending | Alarm): number => {
  const rules = rulesOf(part);
  const held = severities.find((severity) => rules[severity] !== undefined && rules[severity].goodSince === undefined);
  return held === undefined ? ALERT - 1 : STATUS_OF[held];
};

/** The key of a part within its node: its name and its label, as JSON. */
export const partKeyOf = ({ part, label }: Pick<AlarmPart, 'part' | 'label'>): string =>
  JSON.stringify([part, label ?? '']);

/** Identifies an alarm as Alertmanager does: by the members that become labels. */
const keyOf = ({ part, label, severity }: Pick<Alarm, 'part' | 'label' | 'severity'>): string =>
  JSON.stringify([part, label ?? '', severity]);

export const alarmsOf = (text?: string): NodeAlarms =>
  text === undefined ? { active: [], ended: [] } : (JSON.parse(text) as NodeAlarms);
