import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject, Write } from './history';
import { isObject, type StatusEvent, type StreamEvent, type ThresholdEvent } from './stream-event';

/** An event that does not follow from the one before it and from what its write asked for. */
export type ChainFault = { readonly promise: 'chain' | 'alarmsChanged'; readonly found: string };

/** What a node must be after some of its events, as far as its events show it. */
interface Known {
  readonly updatedAt: number;
  readonly parts: JsonObject;
  readonly threshold?: JsonObject;
  /** The newest measurement by when it was taken (epoch ms), which is at its arrival at the latest; the later one on a tie. */
  readonly newest?: { readonly measurementId: string; readonly takenAt: number };
}

/**
 * Follows a node's events from its first one on. Each carries everything that the node holds, so an event of a change that
 * was never committed contradicts the ones after it, even when nobody knows what became of its write.
 *
 * Rates nothing by itself: that is other tests' business.
 */
export const chainFaults = (
  events: ReadonlyArray<StreamEvent>,
  writes: ReadonlyMap<string, Write>,
): ReadonlyArray<ChainFault> => {
  const faults: ChainFault[] = [];
  let known: Known = { updatedAt: 0, parts: {} };
  for (const event of events) {
    const write = writes.get(event.userId);
    const chain = (what: string): void => {
      faults.push({ promise: 'chain', found: `${event.sequenceId} of ${event.userId}: ${what}` });
    };
    if (event.updatedAt < known.updatedAt) chain(`updatedAt went back from ${known.updatedAt} to ${event.updatedAt}`);
    if (event.type === 'SetPointAlarmThresholdEvent') {
      const expected = thresholdAfter(known, event, write);
      if (!isDeepStrictEqual(event.threshold, expected))
        chain(`threshold ${JSON.stringify(event.threshold)}, expected ${JSON.stringify(expected)}`);
      known = { ...known, updatedAt: event.updatedAt, threshold: event.threshold };
    } else {
      known = withNewest({ ...known, updatedAt: event.updatedAt }, write);
      for (const what of partFaults(known, event, write)) chain(what);
      const differs = !isDeepStrictEqual(statusesOf(known.parts), statusesOf(event.parts));
      if (differs !== event.alarmsChanged)
        faults.push({ promise: 'alarmsChanged', found: `${event.sequenceId}: it says ${String(event.alarmsChanged)}` });
      known = { ...known, parts: event.parts };
    }
  }
  return faults;
};

const thresholdAfter = ({ threshold }: Known, { nodeId }: ThresholdEvent, write?: Write): JsonObject | undefined => {
  if (write?.asked.kind === 'setThreshold') return { nodeId, ...write.asked.threshold };
  if (write?.asked.kind === 'patchThreshold') return { ...threshold, fullScale: write.asked.fullScale };
  return undefined;
};

/** `known` after a measurement that arrived when the event of `known` came about; an earlier one where the clock was set back. */
const withNewest = (known: Known, write?: Write): Known => {
  if (write?.asked.kind !== 'recordMeasurement') return known;
  const { measurementId, createdAt } = write.asked;
  const takenAt = Math.min(createdAt, known.updatedAt);
  return takenAt >= (known.newest?.takenAt ?? 0) ? { ...known, newest: { measurementId, takenAt } } : known;
};

/** What is wrong with the parts of `event`: the external alarm and the measurement behind the overall alarm are known. */
const partFaults = (known: Known, { parts, alarmStatus }: StatusEvent, write?: Write): ReadonlyArray<string> => {
  const { externalAlarm, overallAlarm } = parts;
  const faults: string[] = [];
  const expect = (what: string, have: Json | undefined, expected: Json | undefined): void => {
    if (!isDeepStrictEqual(have, expected))
      faults.push(`${what} ${JSON.stringify(have)}, expected ${JSON.stringify(expected)}`);
  };
  const asked = write?.asked;
  if (asked?.kind === 'setExternalAlarm') {
    expect('external alarm', externalAlarm, { status: asked.status, setBy: asked.setBy });
    expect('overall alarm', overallAlarm, known.parts['overallAlarm']);
  } else {
    expect('external alarm', externalAlarm, known.parts['externalAlarm']);
    const measurement = asked?.kind === 'recordMeasurement' ? asked.measurementId : known.newest?.measurementId;
    expect('measurement', isObject(overallAlarm) ? overallAlarm['triggeringMeasurement'] : undefined, measurement);
  }
  expect('worst', alarmStatus, Math.max(0, ...Object.values(statusesOf(parts))));
  return faults;
};

/** The status of every part, by its name and position. */
const statusesOf = (parts: JsonObject): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => {
      const list: ReadonlyArray<Json> = Array.isArray(part) ? part : [part];
      return list.map((one, index) => [`${name}.${index}`, isObject(one) ? Number(one['status']) : Number.NaN]);
    }),
  );
