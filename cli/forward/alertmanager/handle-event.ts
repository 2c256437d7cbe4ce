import * as E from 'fp-ts/Either';
import { alarmParts, type Effect, type Handle, type KeptText } from '../../../consumer';
import { isRecord } from '../../../workflows/domain/codecs';
import { afterEvent, noAlarms, type NodeAlarms } from './alert-state';
import { limitsByPart } from '../../rating/limits-text';

/** The hashes that the group keeps, by node: its alarms, its limits, and the event by which its alarms changed last. */
export const KEPT = { alarms: 'alarms', limits: 'limits', changed: 'changed' } as const;

/** Works out the alarms of a node, and marks the node where they changed: the delivery sends them. */
export const handleEvent: Handle = async (event, kept) => {
  if (event.type === 'SetPointAlarmThresholdEvent') {
    const limits = limitsByPart(event.threshold);
    return { texts: { [KEPT.limits]: Object.keys(limits).length === 0 ? null : JSON.stringify(limits) } };
  }
  const parts = alarmParts(event);
  const known = await kept(KEPT.alarms);
  const isAlarming = parts.some(({ status }) => status >= 3);
  if (known === undefined && !isAlarming) return undefined;
  const limits = isAlarming ? await limitsOf(kept) : {};
  const alarms = afterEvent(alarmsOf(known), parts, (part) => limits[part], event.updatedAt, Date.now());
  const text = JSON.stringify(alarms);
  return text === known ? undefined : effectOf(alarms, text, event.sequenceId);
};

const effectOf = ({ active, ended }: NodeAlarms, text: string, sequenceId: string): Effect => ({
  texts: {
    [KEPT.alarms]: active.length + ended.length === 0 ? null : text,
    [KEPT.changed]: sequenceId,
  },
});

/** The alarms in a text that the group keeps. */
export const alarmsOf = (text: string | undefined): NodeAlarms =>
  text === undefined ? noAlarms : (JSON.parse(text) as NodeAlarms);

const limitsOf = async (kept: KeptText): Promise<Readonly<Record<string, string | undefined>>> => {
  const text = await kept(KEPT.limits);
  const limits = E.tryCatch((): unknown => JSON.parse(text ?? '{}'), String);
  return E.isRight(limits) && isRecord(limits.right) ? (limits.right as Record<string, string>) : {};
};
