import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { describe, expect } from 'vitest';
import { hasParts } from '../../../../../workflows/domain/alarm/parts';
import { epochNanosOf } from '../../../../../workflows/domain/codecs';
import {
  continueAsNewArgument as argumentOf,
  decodeArgument,
  newNode,
  type Node,
  alarmStatusView,
} from '../../../../../workflows/domain/node/state';
import { describeNode } from '../../../../../workflows/domain/node/current-details';
import { evolve } from '../../../../../workflows/domain/node/evolve';
import { dequeue, emptyOutbox, type Outbox } from '../../../../../workflows/domain/node/outbox';
import { nextUlid } from '../../../../../workflows/domain/ulid';
import { rate } from '../../../../../workflows/domain/rating/rate';
import { commands } from '../../../../support/arbitraries/command';
import { instants } from '../../../../support/arbitraries/from-schema';
import { measurements } from '../../../../support/arbitraries/measurement';
import { thresholds } from '../../../../support/arbitraries/threshold';
import { recalculate, recordMeasurement, setThreshold } from '../../../../support/commands';
import { dataPoint, spectrum } from '../../../../support/measurements';
import { accepted, anId, nodeId, send, sendGroup, START, type Sent } from '../../../../support/scenario';
import { rightOf } from '../../../../support/either';

/** A command, and when it comes: clocks are set back as well. */
const timed = fc.tuple(commands, fc.integer({ min: START - 5_000, max: START + 5_000 }));
const histories = fc.array(timed, { maxLength: 12 });
type History = ReadonlyArray<readonly [Sent, number]>;

const after = (node: Node, history: History): Node =>
  history.reduce((before, [sent, now]) => {
    const answer = send(before, sent, now);
    return E.isRight(answer) ? answer.right.node : before;
  }, node);
/** The statuses of the parts that a node shows, by their names and places. */
const shown = (node: Node): ReadonlyArray<readonly [string, number]> => {
  const {
    nodeId: _,
    updatedAt: __,
    status: ___,
    bandAlarms = [],
    halAlarms = [],
    ...single
  } = alarmStatusView(node.state);
  return [
    ...Object.entries(single).map(([name, { status }]) => [name, status] as const),
    ...bandAlarms.map(({ status }, index) => [`band ${index}`, status] as const),
    ...halAlarms.map(({ status }, index) => [`HAL ${index}`, status] as const),
  ];
};
const nodeOf = (history: History): Node => after(newNode(nodeId), history);
const bytesOf = ({ waiting }: Outbox): number =>
  waiting.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
const continued = (node: Node): Node => {
  const argument: unknown = JSON.parse(JSON.stringify(argumentOf(node)));
  return rightOf(decodeArgument(nodeId, argument));
};

const bearing = { manufacturer: 'Own', modelNumber: '1' };
const spectra = fc.tuple(fc.constantFrom(1, 2), fc.nat(2), fc.constantFrom(1, 10)).map(([id, day, y]) =>
  recordMeasurement(
    spectrum(
      [10, 20, 30, 40, 50].map((x) => ({ x, y: y * x })),
      { measurementId: anId(id), createdAt: `2026-01-0${day + 1}T00:00:00Z` },
    ),
  ),
);
const spectrumThresholds = fc
  .record({
    bands: fc.constantFrom(undefined, [], [{}], [{ upperAlert: { value: 2, valueType: 3 } }, {}]),
    hals: fc.constantFrom(undefined, [], [{ label: '1x', upperAlert: 1 }], [{ label: 'BPFO', bearing }]),
    innerHigh: fc.constantFrom(10, 100),
    bpfo: fc.constantFrom(undefined, 1.2, 3.6),
  })
  .map(({ bands, hals, innerHigh, bpfo }) =>
    setThreshold(
      {
        thresholdType: 2,
        overall: { innerHigh, outerHigh: 200 },
        ...(bands !== undefined && { bandAlarms: bands.map((overallThreshold) => ({ overallThreshold })) }),
        ...(hals !== undefined && { halAlarms: hals }),
      },
      { bearings: [{ ...bearing, ...(bpfo !== undefined && { orders: { ftf: 0.4, bsf: 2.3, bpfo, bpfi: 5.4 } }) }] },
    ),
  );
/** Commands of few spectra and thresholds, so that much of what a rating depends on stays as it was. */
const ratings: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 3, arbitrary: spectra },
  { weight: 2, arbitrary: fc.constant(recalculate()) },
  { weight: 1, arbitrary: spectrumThresholds },
  { weight: 1, arbitrary: commands },
);

describe('a node', () => {
  test.prop([fc.array(ratings, { maxLength: 20 })], { numRuns: 200 })(
    'holds after a recalculation or a new threshold what the newest measurements rate, whether it rated them or not',
    (sent) => {
      sent.reduce((before, one) => {
        const node = after(before, [[one, START]]);
        const { parts, latest } = node.state;
        // A patch that changes nothing is kept under its key, and rates nothing.
        const rates = node.state.revision > before.state.revision || (one[0] === 'recalculate' && node !== before);
        if (rates && hasParts(parts))
          expect({ external: undefined, ...parts }).toStrictEqual({
            external: parts.external,
            ...rate(node.state, latest),
          });
        return node;
      }, newNode(nodeId));
    },
  );

  test.prop([histories, histories])('that was carried on takes commands as if it had not been', (one, other) => {
    expect(continued(after(continued(nodeOf(one)), other))).toStrictEqual(nodeOf([...one, ...other]));
  });

  test.prop([histories, timed])('is what its events make of it: two runs of them are one', (history, [sent, now]) => {
    const before = nodeOf(history);
    const answer = send(before, sent, now);
    fc.pre(E.isRight(answer));
    const { node, events } = accepted(answer);
    expect(events.reduce(evolve, before)).toStrictEqual(node);
  });

  test.prop([histories, timed])(
    'answers the same when it is asked twice, and is not changed by being asked',
    (history, [sent, now]) => {
      const node = nodeOf(history);
      const before = JSON.stringify(node);
      expect(send(node, sent, now)).toStrictEqual(send(node, sent, now));
      expect(JSON.stringify(node)).toBe(before);
    },
  );

  test.prop([fc.array(commands, { maxLength: 12 })])(
    'takes a group as it takes its commands one by one, as many as there is room for',
    (sent) => {
      const entries = sent.map(([name, payload]) => ({ name, ...payload }));
      const { node, events, answer } = sendGroup(newNode(nodeId), { commands: entries });
      const taken = sent.slice(0, answer.outcomes.length);
      expect(node).toStrictEqual(nodeOf(taken.map((one) => [one, START])));
      expect(taken.length < sent.length).toBe(answer.postponed !== undefined);
      expect(events.length > 0).toBe(answer.outcomes.some(({ _tag }) => _tag === 'Applied'));
    },
  );

  test.prop([histories])('has the worst status of the parts that it shows', (history) => {
    const node = nodeOf(history);
    expect(alarmStatusView(node.state).status).toBe(Math.max(0, ...shown(node).map(([, status]) => status)));
  });

  test.prop([histories])('knows the bytes of what waits', (history) => {
    const { outbox } = nodeOf(history);
    expect(outbox.bytes).toBe(bytesOf(outbox));
  });
});

describe('a command', () => {
  test.prop([histories, timed])('leaves the external alarm alone, unless it sets it', (history, [sent, now]) => {
    fc.pre(sent[0] !== 'setExternalAlarm');
    const before = nodeOf(history);
    expect(after(before, [[sent, now]]).state.parts.external).toStrictEqual(before.state.parts.external);
  });

  test.prop([histories, timed])('never sets updatedAt back, nor the revision', (history, one) => {
    const before = nodeOf(history).state;
    const { state } = after(nodeOf(history), [one]);
    expect(state.updatedAt).toBeGreaterThanOrEqual(before.updatedAt);
    expect(state.revision).toBeGreaterThanOrEqual(before.revision);
  });

  test.prop([histories, timed])('under a known idempotency key changes nothing', (history, [[name, payload], now]) => {
    const sent: Sent = [name, { ...payload, idempotencyKey: 'once' }];
    const first = send(nodeOf(history), sent, now);
    fc.pre(E.isRight(first));
    const { node } = accepted(first);
    expect(send(node, sent, now + 1)).toEqual(E.left({ _tag: 'Unchanged', revision: node.state.revision }));
  });

  test.prop([histories, timed])(
    'that is refused, or for which there is nothing to do, says why',
    (history, [sent, now]) => {
      const answer = send(nodeOf(history), sent, now);
      fc.pre(E.isLeft(answer));
      if (E.isLeft(answer))
        expect(['Unchanged', 'PatchConflict', 'PreconditionFailed', 'IdempotencyConflict', 'OutboxFull']).toContain(
          answer.left._tag,
        );
    },
  );
});

describe('a measurement', () => {
  test.prop([thresholds, measurements, fc.integer({ min: 0, max: 10_000 })])(
    'twice yields one event',
    (threshold, measurement, wait) => {
      const once = nodeOf([
        [setThreshold({ ...threshold }), START],
        [recordMeasurement(measurement), START],
      ]);
      expect(send(once, recordMeasurement(measurement), START + wait)).toEqual(
        E.left({ _tag: 'Unchanged', revision: 1 }),
      );
    },
  );

  /** No measurement is dated after it (epoch ms). */
  const AFTER_ALL = Date.UTC(2200, 0);
  test.prop([thresholds, fc.array(measurements, { maxLength: 8 })])(
    'is kept if none of its content type is newer',
    (threshold, sent) => {
      const all = [setThreshold({ ...threshold }), ...sent.map((one) => recordMeasurement(one))];
      const published = (node: Node): Node => ({ ...node, outbox: emptyOutbox });
      const { latest } = all.reduce((node, one) => published(after(node, [[one, AFTER_ALL]])), newNode(nodeId)).state;
      for (const type of ['DATA_POINT', 'SPECTRUM', 'QUESTION_ANSWERS'] as const) {
        const times = sent
          .filter(({ contentType }) => contentType === type)
          .map(({ createdAt }) => epochNanosOf(String(createdAt)));
        const kept = latest[type];
        const newest = times.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
        expect(kept === undefined ? undefined : epochNanosOf(kept.createdAt)).toBe(newest);
      }
    },
  );

  test.prop([fc.array(fc.tuple(instants, fc.nat(2 ** 42)), { minLength: 1, maxLength: 8 })])(
    'is kept by its time, or by its arrival where that comes first; the later one on a tie',
    (given) => {
      const arrivals = given.map(([, at]) => at).sort((one, other) => one - other);
      const sent = given.map(([{ text: createdAt }], index) =>
        dataPoint(1, { createdAt, measurementId: anId(index), rateOfChange: 1 }),
      );
      const { latest } = after(
        newNode(nodeId),
        sent.map((one, index) => [recordMeasurement(one), arrivals[index] ?? 0]),
      ).state;
      const times = given.map(([{ epochNanos }], index) => {
        const arrived = BigInt(arrivals[index] ?? 0) * 1_000_000n;
        return epochNanos < arrived ? epochNanos : arrived;
      });
      const newest = times.reduce((best, time, index) => (time >= (times[best] ?? time) ? index : best), 0);
      expect(latest.DATA_POINT?.measurementId).toBe(anId(newest));
      expect(latest.rateOfChange?.measurementId).toBe(anId(newest));
    },
  );
});

describe('what is published', () => {
  test.prop([histories])('has ids that rise strictly, whatever the clock does', (history) => {
    const ids = nodeOf(history).outbox.waiting.map(({ sequenceId }) => sequenceId);
    ids.forEach((id, index) => {
      expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/u);
      expect(id > (ids[index - 1] ?? '')).toBe(true);
    });
  });

  test.prop([histories, timed])(
    'says that alarms changed just where a status or the set of parts did',
    (history, one) => {
      const before = nodeOf(history);
      const { outbox, state } = after(before, [one]);
      const events = outbox.waiting
        .slice(before.outbox.waiting.length)
        .filter(({ type }) => type === 'PointAlarmStatusEvent');
      for (const { data } of events)
        expect(data['alarmsChanged']).toBe(JSON.stringify(shown(before)) !== JSON.stringify(shown({ state, outbox })));
      if (events.length === 0) expect(state.parts).toStrictEqual(before.state.parts);
    },
  );

  test.prop([histories])('shows in its last status event what GET shows', (history) => {
    const { state, outbox } = nodeOf(history);
    const last = outbox.waiting.filter(({ type }) => type === 'PointAlarmStatusEvent').at(-1);
    if (last === undefined) return;
    const { userId: _, requestId: __, sequenceId: ___, updatedAt: ____, alarmsChanged: _____, ...rest } = last.data;
    const { measurementId: ______, ...content } = rest;
    const { nodeId: aggregateId, updatedAt: _______, status: alarmStatus, ...parts } = alarmStatusView(state);
    expect(content).toStrictEqual({ aggregateId, alarmStatus, ...parts });
  });

  test.prop([histories, fc.nat(20)])(
    'goes from the outbox up to the id published, and no further',
    (history, index) => {
      const { outbox } = nodeOf(history);
      const id = outbox.waiting[index]?.sequenceId ?? '';
      const left = dequeue(outbox, id);
      expect(left.waiting).toStrictEqual(id === '' ? outbox.waiting : outbox.waiting.slice(index + 1));
      expect(left.bytes).toBe(bytesOf(left));
    },
  );
});

const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test.prop([
  fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), draws, draws), { maxLength: 50 }),
  fc.constantFrom('', '000000000ZZZZZZZZZZZZZZZZZ'),
])('ids rise strictly from any id, at any time, with any draws', (given, first) => {
  given.reduce<string>((previous, [now, high, low]) => {
    const next = nextUlid(previous, now, [high, low]);
    expect(next > previous).toBe(true);
    expect(next).toHaveLength(26);
    return next;
  }, first);
});

test.prop([histories])(
  'what operators read is a page of headings, lines and lists, whatever callers wrote',
  (history) => {
    const page = describeNode(nodeOf(history));
    for (const line of page.split('\n')) {
      expect(line).toMatch(
        /^(?:#{2,3} [A-Z_]+|### (?:Threshold|Latest measurements)|(?:Last change: |Not published: |Left to the API |Revision \d|- (?:overall|rate of change|inspection|external|band \d|HAL \d|and \d|[A-Z_]+:|rateOfChange:)).*| {2}- [^`*]*|Never changed|Never set|All events are published|Node `[-0-9a-f]{36}`|)$/u,
      );
      expect((line.match(/`/gu) ?? []).length % 2).toBe(0);
      expect((line.replace(/`[^`]*`/gu, '').match(/\*\*/gu) ?? []).length % 2).toBe(0); // code may hold any text
    }
  },
);
