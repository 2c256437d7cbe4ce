import type { Effect, Handle, KeptText } from '../../../stream/consumer';
import { alarmParts, limitLines, thresholdParts } from '../../../workflows/domain/alarm/alarm-lines';
import { ALERT } from '../../../workflows/domain/alarm/status';
import type { StatusEvent } from '../../../workflows/domain/node/events';
import { afterEvent, alarmsOf, changedParts, nextDue, noDelays, type Delays } from './alarms';
import { afterChanges, type Changes } from '../../changes';
import type { Measured, Silence } from './silence';

/**
 * The hashes of the consumer group, with a field per node. In this order, a field holds the node's alarms, its limits, the
 * times when its parts changed, its last measurement, its silence, and a mark that its alerts must be sent.
 */
export const HASHES = {
  alarms: 'alarms',
  limits: 'limits',
  changes: 'changes',
  measured: 'measured',
  silent: 'silent',
  changed: 'changed',
} as const;

/** The group's sorted sets of nodes by a time (epoch ms): when an alarm is next due, and when the node may become silent. */
export const SORTED_SETS = { alarms: 'due', silence: 'silence' } as const;

/** The delays of a node's alarms, and the time (ms) without a measurement after which the node is silent; undefined: never. */
export interface NodeTiming {
  readonly delays: Delays;
  readonly silentAfterMs?: number | undefined;
}

/**
 * Returns the handler that works out the alarms of nodes, and marks the nodes whose alarms changed. `notifiedUntilOf` takes the
 * time of an event in the stream, and returns up to when alarms may have been told before its effect is stored (epoch ms).
 */
export const handleEvents =
  (timingOf: (nodeId: string) => NodeTiming, notifiedUntilOf: (appendedAt: number) => Promise<number>): Handle =>
  async (event, kept, _, appendedAt) => {
    if (event.type === 'SetPointAlarmThresholdEvent') {
      const limits = limitLines(event.threshold);
      return { texts: { [HASHES.limits]: Object.keys(limits).length === 0 ? null : JSON.stringify(limits) } };
    }
    const { delays, silentAfterMs } = timingOf(event.aggregateId);
    const alarms = await alarmEffect(event, kept, { appendedAt, notifiedUntilOf, delays });
    const silence = await silenceEffect(event, kept, appendedAt, silentAfterMs);
    if (silence === undefined) return alarms;
    return { texts: { ...alarms?.texts, ...silence.texts }, scores: { ...alarms?.scores, ...silence.scores } };
  };

interface Arrival {
  readonly appendedAt: number;
  readonly notifiedUntilOf: (appendedAt: number) => Promise<number>;
  readonly delays: Delays;
}

const alarmEffect = async (
  event: StatusEvent,
  kept: KeptText,
  { appendedAt, notifiedUntilOf, delays }: Arrival,
): Promise<Effect | undefined> => {
  const parts = alarmParts(event);
  const known = await kept(HASHES.alarms);
  const isAlarming = parts.some(({ status }) => status >= ALERT);
  if (known === undefined && !isAlarming) return undefined;
  const limits = isAlarming ? (JSON.parse((await kept(HASHES.limits)) ?? '{}') as Limits) : {};
  const [before, at] = [alarmsOf(known), event.updatedAt];
  const notifiedUntil = nextDue(before, delays) === undefined ? appendedAt : await notifiedUntilOf(appendedAt);
  const keepsEnds = before.ended.length > 0 && (await kept(HASHES.changed)) !== undefined;
  const alarms = afterEvent(before, { parts, limits, at, notifiedUntil, keepsEnds, now: Date.now() }, delays);
  const text = JSON.stringify(alarms);
  if (text === known) return undefined;
  const { active, pending = [], ended } = alarms;
  const isEmpty = active.length + pending.length + ended.length === 0;
  const changed = changedParts(before, parts);
  const changes =
    changed.length > 0 && afterChanges(JSON.parse((await kept(HASHES.changes)) ?? '{}') as Changes, changed, at);
  return {
    texts: {
      [HASHES.alarms]: isEmpty ? null : text,
      ...(changes !== false && { [HASHES.changes]: JSON.stringify(changes) }),
      [HASHES.changed]: event.sequenceId,
    },
    ...(delays !== noDelays && { scores: { [SORTED_SETS.alarms]: nextDue(alarms, delays) ?? null } }),
  };
};

type Limits = Readonly<Record<string, string | undefined>>;

/**
 * Only a node with a threshold can be silent; a cleared node, or one begun anew after a termination, has none. If a node is no
 * longer watched, its next measurement removes the stored one, which would make the node silent once it is watched again.
 */
const silenceEffect = async (
  event: StatusEvent,
  kept: KeptText,
  appendedAt: number,
  silentAfterMs: number | undefined,
): Promise<Effect | undefined> => {
  const { measurementId, updatedAt, alarmStatus: status } = event;
  const hasThreshold = thresholdParts(event).length > 0;
  const isMeasured = measurementId !== undefined;
  if (silentAfterMs === undefined)
    return hasThreshold && !isMeasured
      ? undefined
      : { texts: { [HASHES.measured]: null }, scores: { [SORTED_SETS.silence]: null } };
  if (hasThreshold && !isMeasured) {
    const measured = await kept(HASHES.measured);
    if (measured === undefined) return undefined;
    return { texts: { [HASHES.measured]: JSON.stringify({ ...(JSON.parse(measured) as Measured), status }) } };
  }
  const silent = await kept(HASHES.silent);
  const isSilent = silent !== undefined && (JSON.parse(silent) as Silence).endsAt === undefined;
  const measured: Measured = { at: appendedAt, since: updatedAt, status };
  return {
    texts: {
      [HASHES.measured]: hasThreshold ? JSON.stringify(measured) : null,
      ...(isSilent && { [HASHES.changed]: event.sequenceId }),
    },
    scores: { [SORTED_SETS.silence]: hasThreshold ? appendedAt + silentAfterMs : null },
  };
};
