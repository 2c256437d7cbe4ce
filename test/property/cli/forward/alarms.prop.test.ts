import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterEvent,
  alarmsAt,
  alarmsOf,
  nextDue,
  noDelays,
  type Delays,
  type NodeAlarms,
} from '../../../../cli/forward/alertmanager/alarms';
import { expectedAlarms, type PartEvent } from '../../../support/forward/expected-alarms';

const duration = fc.integer({ min: 0, max: 8 });
const ofSeverity = fc.record({ for: duration, keepFiringFor: duration });
const delays: fc.Arbitrary<Delays> = fc.record({ danger: ofSeverity, alert: ofSeverity });

/** An event, and how long it was under way to the stream. */
const step = fc.record({
  after: fc.integer({ min: 0, max: 6 }),
  status: fc.constantFrom<PartEvent['status']>(1, 2, 2, 3, 3, 4, 4),
  late: fc.constantFrom(0, 0, 0, 1, 4, 9),
});
interface Arrived extends PartEvent {
  readonly appendedAt: number;
}
const steps = fc.array(step, { maxLength: 9 }).map((all) => {
  let [at, appendedAt] = [0, 0];
  return all.map(({ after, status, late }): Arrived => {
    at += after;
    appendedAt = Math.max(appendedAt, at + late);
    return { at, status, appendedAt };
  });
});

const PART = 'overall';
const after = (
  alarms: NodeAlarms,
  { at, status, appendedAt }: Arrived,
  by: Delays,
  notifiedUntil = appendedAt,
): NodeAlarms => {
  const event = { parts: [{ part: PART, status }], limits: {}, at, notifiedUntil, now: appendedAt };
  return alarmsOf(JSON.stringify(afterEvent(alarms, event, by)));
};
const END = 70;
/** The alarms that last at a time. */
const lasting = (expected: ReturnType<typeof expectedAlarms>, now: number): ReadonlyArray<string> =>
  expected
    .filter(({ startsAt, endsAt = Infinity }) => startsAt <= now && endsAt > now)
    .map(({ severity, startsAt }) => `${severity} ${startsAt}`);

const severitiesAt = (status: number): ReadonlyArray<string> =>
  status === 4 ? ['danger'] : status === 3 ? ['alert'] : [];

describe('the alarms of a part', () => {
  test('are those of its events, each told and ended when the words say, whenever somebody looks', () => {
    fc.assert(
      fc.property(steps, delays, (events, by) => {
        let alarms = alarmsOf();
        events.forEach((event, at) => {
          alarms = after(alarms, { ...event, appendedAt: event.at }, by);
          const expected = expectedAlarms(events.slice(0, at + 1), by, END);
          for (let now = event.at; now <= END; now += 1) {
            const active = alarmsAt(alarms, now, by).active.map(({ severity, startsAt }) => `${severity} ${startsAt}`);
            expect(active).toEqual(lasting(expected, now));
          }
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('leave Alertmanager with those of the events that came so far, however late they came: no end is lost', () => {
    fc.assert(
      fc.property(steps, delays, fc.array(fc.integer({ min: 0, max: END }), { maxLength: 12 }), (events, by, looks) => {
        const held = new Map<string, number>();
        const ends: Array<readonly [string, number, number]> = [];
        let [alarms, handled] = [alarmsOf(), 0];
        for (const now of looks.sort((one, other) => one - other)) {
          for (let event = events[handled]; event !== undefined && event.appendedAt <= now; event = events[handled]) {
            alarms = after(alarms, event, by);
            handled += 1;
          }
          const { active, ended } = alarmsAt(alarms, now, by);
          for (const { severity, startsAt, endsAt } of ended) {
            held.delete(severity);
            ends.push([severity, startsAt, endsAt]);
          }
          for (const { severity, startsAt } of active) held.set(severity, startsAt);
          const expected = lasting(expectedAlarms(events.slice(0, handled), by, now), now);
          expect([...held].map(([severity, startsAt]) => `${severity} ${startsAt}`)).toEqual(expected);
        }
        for (const [, startsAt, endsAt] of ends) expect(endsAt).toBeGreaterThanOrEqual(startsAt);
      }),
      { numRuns: 1_000 },
    );
  });

  test('are taken back only if they were told: an alarm that began and ended at once has an event at that time', () => {
    fc.assert(
      fc.property(steps, delays, fc.array(fc.nat(9), { maxLength: 9 }), (events, by, clockMoves) => {
        let [alarms, clock] = [alarmsOf(), 0];
        const notified = new Set<number>();
        events.forEach((event, n) => {
          clock = Math.min(clock + (clockMoves[n] ?? 0), event.appendedAt);
          for (const { startsAt } of alarmsAt(alarms, clock, by).active) notified.add(startsAt);
          alarms = after(alarms, event, by, clock);
          for (const { startsAt } of alarmsAt(alarms, clock, by).active) notified.add(startsAt);
        });
        const atOnce = alarms.ended.filter(({ startsAt, endsAt }) => startsAt === endsAt);
        const times = events.map(({ at }) => at);
        expect(atOnce.filter(({ startsAt }) => !notified.has(startsAt) && !times.includes(startsAt))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('are looked at when the next is due: nothing changes before', () => {
    fc.assert(
      fc.property(steps, delays, (events, by) => {
        let alarms = alarmsOf();
        for (const event of events) alarms = after(alarms, event, by);
        const last = events.at(-1)?.at ?? 0;
        const due = nextDue(alarms, by) ?? END + 1;
        const shown = (now: number) => alarmsAt(alarms, now, by).active.map(({ severity }) => severity);
        for (let now = last; now < Math.min(due, END); now += 1) expect(shown(now)).toEqual(shown(last));
        if (due <= END) expect(due).toBeGreaterThan(last);
      }),
    );
  });

  test('are in the end those of the last event, whatever the options were before, also where the clock was set back', () => {
    const runs = fc.record({ by: fc.oneof(fc.constant(noDelays), delays), setBack: fc.nat(20), events: steps });
    fc.assert(
      fc.property(fc.array(runs, { minLength: 1, maxLength: 4 }), (all) => {
        let [alarms, last, begin] = [alarmsOf(), 2, 100];
        for (const { by, setBack, events } of all) {
          begin -= setBack;
          for (const { at, status, appendedAt } of events) {
            alarms = after(alarms, { at: begin + at, status, appendedAt: begin + appendedAt }, by);
            last = status;
          }
          const { active, pending = [] } = alarmsAt(alarms, 1_000, by);
          expect([active.map(({ severity }) => severity), pending]).toEqual([severitiesAt(last), []]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('without delays are told at once, and what is kept of them says no more than it did', () => {
    fc.assert(
      fc.property(steps, (events) => {
        let alarms = alarmsOf();
        for (const event of events) alarms = after(alarms, event, noDelays);
        const now = events.at(-1)?.at ?? 0;
        expect(alarms.active.map(({ severity, startsAt }) => `${severity} ${startsAt}`)).toEqual(
          lasting(expectedAlarms(events, noDelays, now), now),
        );
        expect(Object.keys(alarms)).toEqual(['active', 'ended']);
        expect(nextDue(alarms, noDelays)).toBeUndefined();
      }),
    );
  });
});
