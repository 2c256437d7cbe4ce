import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { type CachedNode, cachedNodeOf, takeEvent } from '../../../../api/nodes/read-cache';
import { type Node, snapshotView } from '../../../../workflows/domain/node/state';
import { eventOf, type StreamEvent } from '../../../../workflows/domain/node/events';
import {
  dataPoint,
  nodeAfter,
  overall,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
} from '../../../support/scenario';

const knownNow = ({ state }: Node): CachedNode => cachedNodeOf(snapshotView(state));

const eventsOf = ({ outbox }: Node): ReadonlyArray<StreamEvent> =>
  outbox.waiting.map(({ type, data }) => {
    const event = eventOf(type, data);
    if (E.isLeft(event)) throw new Error(event.left);
    return event.right;
  });

/** `known` after `events`; undefined once one of them did not follow. */
const after = (known: CachedNode, events: ReadonlyArray<StreamEvent>): CachedNode | undefined =>
  events.reduce<CachedNode | undefined>((before, event) => before && takeEvent(before, event), known);

const untouched = nodeAfter([]);
const once = nodeAfter([setThreshold(overall)]);
const more = nodeAfter(
  [recordMeasurement(dataPoint(30)), setThreshold({ fullScale: 2 }), setExternalAlarm({ status: 3 })],
  once,
);

describe('what is known of a node', () => {
  test.each([
    ['from its beginning', untouched],
    ['from the middle', once],
  ])('is after all of its events what the node says, %s', (_name, from) => {
    const { threshold, alarmStatus } = snapshotView(more.state);
    expect(after(knownNow(from), eventsOf(more))).toMatchObject({ threshold, alarmStatus });
  });

  test('stays as it is where an event is not newer', () => {
    expect(after(knownNow(more), eventsOf(more))).toEqual(knownNow(more));
  });

  test('takes a status before the earlier threshold, which then changes the threshold alone', () => {
    const [set, status] = eventsOf(once);
    expect(after(knownNow(untouched), [status!, set!])).toMatchObject({
      threshold: { revision: 1, threshold: overall },
      alarmStatus: { status: 1, overallAlarm: { status: 1 } },
    });
  });

  test('tells by a threshold when the status was updated, where no status follows', () => {
    const bare = nodeAfter([setThreshold({ fullScale: 2 })]);
    expect(eventsOf(bare)).toHaveLength(1);
    expect(after(knownNow(untouched), eventsOf(bare))?.alarmStatus).toEqual(snapshotView(bare.state).alarmStatus);
  });

  test.each<[name: string, revision: number | undefined]>([
    ['the same revision', 2],
    ['a lower one, of a node that was begun anew', 1],
    ['a greater one than the next', 4],
    ['none, from an early build', undefined],
  ])('ends with a newer threshold of %s', (_name, revision) => {
    const set = eventsOf(more).findLast(({ type }) => type === 'SetPointAlarmThresholdEvent');
    const known = knownNow(more);
    expect(known.threshold.revision).toBe(2);
    const { revision: _, ...rest } = set as Extract<StreamEvent, { readonly type: 'SetPointAlarmThresholdEvent' }>;
    const event = { ...rest, sequenceId: 'Z'.repeat(26), ...(revision !== undefined && { revision }) };
    expect(takeEvent(known, event)).toBeUndefined();
    expect(takeEvent(known, { ...event, revision: 3 })).toMatchObject({ threshold: { revision: 3 } });
  });
});
