import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { pause } from '../../../process/backoff';
import { followEvents, type StreamReader } from '../../../stream/follow-events';
import { addEntry, emptyRedis } from '../../simulation/models/redis-state';
import { recordedLog } from '../../support/recorded-log';
import { modelledClient } from '../../support/redis/modelled-client';

beforeAll(() => vi.useFakeTimers());
afterAll(() => vi.useRealTimers());

const nodeId = '8f2d1c3a-5b6e-4f70-9a81-b2c3d4e5f607';
type Fields = Readonly<Record<string, string>>;

/** The fields of an event whose sequenceId ends with `number`. */
const eventFields = (number: string, more: Fields = {}): Fields => {
  const sequenceId = number.padStart(26, '0');
  const status = { userId: 'u', updatedAt: 7, alarmStatus: 4, alarmsChanged: true };
  return {
    ...{ aggregateId: nodeId, sequenceId, timestamp: '7', type: 'PointAlarmStatusEvent', userId: 'u' },
    ...{ data: JSON.stringify({ aggregateId: nodeId, sequenceId, ...status }), ...more },
  };
};

/** A stream, of which a test says what happens to it. */
const newStream = () => {
  const redis = emptyRedis();
  const client = modelledClient(redis);
  const state = { isAway: false, reportsAdded: true, asked: 0, infos: 0 };
  /** Each answer takes a moment. */
  const ask = async <A>(question: () => Promise<A>): Promise<A> => {
    state.asked += 1;
    await pause(1);
    if (state.isAway) throw new Error('away');
    return question();
  };
  const reader: StreamReader = {
    xRead: (from, options) => ask(() => client.xRead(from, options)),
    xInfoStream: (name) => {
      state.infos += 1;
      return ask(async () => {
        const { 'entries-added': added, ...rest } = await client.xInfoStream(name);
        return { ...rest, ...(state.reportsAdded && { 'entries-added': added }) };
      });
    },
  };
  let added = 0;
  /** By default two entries in each millisecond, from 9 on: ids rise beyond what any text order would give. */
  const add = (fields: Fields, clock = 9 + Math.floor(added / 2)): void => {
    added += 1;
    addEntry(redis, 's', fields, 0, clock);
  };
  return {
    reader,
    state,
    add,
    addEvents: (...numbers: ReadonlyArray<string>) => {
      for (const number of numbers) add(eventFields(number));
    },
    /** Drops all but the newest `count` entries. */
    trim: (count: number) => {
      const stream = redis.streams.get('s');
      if (stream !== undefined) stream.first = stream.entries.length - count;
    },
    /** Forgets everything, as Redis does that lost its data, or one who deletes the stream. */
    lose: () => redis.streams.delete('s'),
  };
};

type Stream = ReturnType<typeof newStream>;
const soon = { timeout: 4_000, interval: 2 };
const MISSED = 'events of the stream were missed: nodes are asked again';

/** Follows `stream`, and has joined it; what was taken so far, in order, with `onMissed` where something was missed. */
const following = async (stream: Stream, maxLength = 0) => {
  const took: string[] = [];
  const { log, records } = recordedLog();
  const { currentAsOf, close } = followEvents({
    ...{ redis: { client: stream.reader }, stream: 's', maxLength, log },
    onEvent: (node, { type, sequenceId }) => {
      expect([node, type]).toEqual([nodeId, 'PointAlarmStatusEvent']);
      took.push(sequenceId.replace(/^0+(?=..)/u, ''));
    },
    onMissed: () => took.push(currentAsOf() === -Infinity ? 'missed all' : 'missed one'),
  });
  onTestFinished(async () => {
    const closed = close();
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
  });
  await vi.waitFor(() => expect(currentAsOf()).toBeGreaterThan(0), soon);
  /** Waits until it knows that it has everything up to now. */
  const isCurrent = async (): Promise<void> => {
    const now = performance.now();
    await vi.waitFor(() => expect(currentAsOf()).toBeGreaterThanOrEqual(now), soon);
  };
  const isAsked = (times: number): Promise<void> => {
    const { asked } = stream.state;
    return vi.waitFor(() => expect(stream.state.asked).toBeGreaterThan(asked + times), soon);
  };
  /** Lets reads fail, does `meanwhile`, and lets them succeed again. */
  const outage = async (meanwhile: () => void): Promise<void> => {
    stream.state.isAway = true;
    await isAsked(1);
    meanwhile();
    stream.state.isAway = false;
  };
  const warnings = () => records.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  return { took, warnings, currentAsOf, isCurrent, isAsked, outage, close };
};

describe('a follower', () => {
  test('takes every event from when it joined, in order', async () => {
    const stream = newStream();
    stream.addEvents('before');
    const { took, isCurrent } = await following(stream);
    stream.addEvents('01', '02');
    await isCurrent();
    stream.addEvents('03');
    await isCurrent();
    expect(took).toEqual(['01', '02', '03']);
  });

  test.each<[name: string, fields: Fields]>([
    ['an entry without the fields of an event', { hello: 'world' }],
    ['an event of another type', eventFields('xx', { type: 'Other' })],
  ])('begins with a stream that is not there yet, passes over %s, and counts it as read', async (_name, fields) => {
    const stream = newStream();
    const { took, isCurrent, outage } = await following(stream);
    stream.add(fields);
    stream.addEvents('01');
    await isCurrent();
    await outage(() => undefined);
    await isCurrent();
    expect(took).toEqual(['01']);
  });

  test('says of an event of a node that it cannot read that something was missed, and goes on', async () => {
    const stream = newStream();
    const { took, isCurrent, warnings } = await following(stream);
    stream.add(eventFields('07', { data: '{' }));
    stream.addEvents('08');
    await isCurrent();
    expect(took).toEqual(['missed one', '08']);
    expect(warnings()).toEqual(['an event of the stream cannot be read: nodes are asked again']);
  });

  test.each([
    ['while it reads', false],
    ['while the stream cannot be read', true],
  ])('that is closed ends, %s, and reads no more', async (_name, isAway) => {
    const stream = newStream();
    const { close, isAsked } = await following(stream);
    stream.state.isAway = isAway;
    await isAsked(0);
    const closed = close();
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
    const { asked } = stream.state;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stream.state.asked).toBe(asked);
  });
});

describe('what a follower knows to have', () => {
  test('grows no more while the stream cannot be read', async () => {
    const stream = newStream();
    stream.addEvents('before');
    const { currentAsOf, isAsked } = await following(stream);
    stream.state.isAway = true;
    await isAsked(1);
    const stopped = currentAsOf();
    await isAsked(2);
    expect(currentAsOf()).toBe(stopped);
  });

  const page = Array.from({ length: 1_500 }, (_, index) => String(index));
  test.each<[name: string, added: ReadonlyArray<string>, isOutage: boolean]>([
    ['an outage', ['02', '03'], true],
    ['a page that is full: entries may be trimmed before they are read', page, false],
  ])('is proven by the count of entries, once, after %s', async (_name, added, isOutage) => {
    const stream = newStream();
    const { took, warnings, isCurrent, outage } = await following(stream);
    stream.addEvents('01');
    await isCurrent();
    const { infos } = stream.state;
    if (isOutage) await outage(() => stream.addEvents(...added));
    else stream.addEvents(...added);
    await isCurrent();
    await isCurrent();
    expect(took).toHaveLength(1 + added.length);
    expect(warnings()).toEqual([]);
    expect(stream.state.infos).toBe(infos + 1);
  });
});

describe('a follower that missed something says so, knows nothing until it is done, and begins anew where the stream ends', () => {
  type Step = (of: Stream) => unknown;
  const lost: Step = (of) => of.lose();
  const added =
    (...numbers: ReadonlyArray<string>): Step =>
    (of) =>
      of.addEvents(...numbers);
  const rows: ReadonlyArray<[name: string, meanwhile: ReadonlyArray<Step>, before?: ReadonlyArray<string>]> = [
    ['the stream was trimmed beyond what it had read', [added('02', '03', '04'), (of) => of.trim(1)]],
    ['the stream was lost', [lost]],
    ['the stream was lost, and there is another one', [added('02'), lost, added('03')]],
    ['the stream was lost, and the clock of Redis set back', [lost, (of) => of.add(eventFields('02'), 5)]],
    ['Redis does not report how many entries were added', [(of) => (of.state.reportsAdded = false)]],
    ['the stream was empty before, and may have got entries and lost them', [added('01'), lost, added('02')], []],
  ];
  test.each(rows)('%s', async (_name, meanwhile, before = ['01']) => {
    const stream = newStream();
    const { took, warnings, isCurrent, outage } = await following(stream);
    stream.addEvents(...before);
    await isCurrent();
    await outage(() => meanwhile.forEach((step) => step(stream)));
    await vi.waitFor(() => expect(took).toContain('missed all'), soon);
    await isCurrent();
    stream.addEvents('99');
    await isCurrent();
    expect(took.at(-1)).toBe('99');
    if (before.length === 0) return; // the failure itself is reported as often as it comes
    expect(warnings()).toContain(MISSED);
    expect(took.filter((one) => one === 'missed all')).toHaveLength(1);
  });

  test('a stream that keeps fewer entries than one read takes was trimmed beyond it, without an outage', async () => {
    const stream = newStream();
    const { took, isCurrent } = await following(stream, 100);
    stream.addEvents('01');
    await isCurrent();
    stream.addEvents(...Array.from({ length: 300 }, (_, index) => String(index)));
    stream.trim(100);
    await vi.waitFor(() => expect(took).toContain('missed all'), soon);
  });
});
