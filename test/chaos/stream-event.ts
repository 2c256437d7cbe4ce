import type { Entry, Json, JsonObject } from './history';

interface About {
  readonly nodeId: string;
  readonly userId: string;
  readonly sequenceId: string;
  /** Epoch ms. */
  readonly updatedAt: number;
}

export interface StatusEvent extends About {
  readonly type: 'PointAlarmStatusEvent';
  readonly alarmStatus: number;
  readonly alarmsChanged: boolean;
  /** The parts held, by their names in the event. */
  readonly parts: JsonObject;
}

export interface ThresholdEvent extends About {
  readonly type: 'SetPointAlarmThresholdEvent';
  readonly threshold: JsonObject;
}

/** An event as docs/events.md has it. */
export type StreamEvent = StatusEvent | ThresholdEvent;

/** Reads an entry of the stream; text is what is wrong with it: a field is missing, or contradicts the event's JSON. */
export const readEvent = (entry: Entry): StreamEvent | string => {
  const { aggregateId: nodeId = '', sequenceId = '', type = '', userId = '', data: text = '', timestamp } = entry;
  const data = objectIn(text);
  if (data === undefined) return `data is no JSON object: ${text.slice(0, 200)}`;
  const { aggregateId, userId: user, sequenceId: id, updatedAt } = data;
  const agrees =
    aggregateId === nodeId &&
    user === userId &&
    id === sequenceId &&
    typeof updatedAt === 'number' &&
    String(updatedAt) === timestamp &&
    entry['Vendor.Hierarchy.EventType'] === type &&
    entry['Vendor.Hierarchy.Aggregate'] === nodeId;
  if (!agrees) return `its fields contradict its data: ${JSON.stringify(entry)}`;
  const about = { nodeId, userId, sequenceId, updatedAt };
  if (type === 'PointAlarmStatusEvent') {
    const {
      aggregateId: _,
      userId: __,
      sequenceId: ___,
      updatedAt: ____,
      requestId: _____,
      measurementId: ______,
      alarmStatus,
      alarmsChanged,
      ...parts
    } = data;
    if (typeof alarmStatus !== 'number' || typeof alarmsChanged !== 'boolean') return `no status in ${text}`;
    return { ...about, type, alarmStatus, alarmsChanged, parts };
  }
  const { threshold } = data;
  if (type !== 'SetPointAlarmThresholdEvent' || !isObject(threshold)) return `neither status nor threshold: ${text}`;
  return { ...about, type, threshold };
};

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectIn = (text: string): JsonObject | undefined => {
  try {
    const parsed = JSON.parse(text) as Json;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};
