import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { pause } from '../../../process/backoff';
import { followEvents, type StreamReader } from '../../../stream/follow';
import { recordedLog } from '../../support/recorded-log';

beforeAll(() => {
  vi.useFakeTimers();
});
afterAll(() => {
  vi.useRealTimers();
});

interface Entry {
  readonly id: string;
  readonly message: Readonly<Record<string, string>>;
}

const nodeId = '8f2d1c3a-5b6e-4f70-9a81-b2c3d4e5f607';
/** A ULID that ends with `number`. */
const ulid = (number: string): string => number.padStart(26, '0');
const contentOf = (sequenceId: string) => ({
  aggregateId: nodeId,
  userId: 'u',
  sequenceId,
  updatedAt: 7,
  alarmStatus: 4,
  alarmsChanged: true,
});

const eventFields = (number: string, more: Readonly<Record<string, string>> = {}) => ({
  aggregateId: nodeId,
  sequenceId: ulid(number),
  timestamp: '7',
  type: 'PointAlarmStatusEvent',
  data: JSON.stringify(contentOf(ulid(number))),
  userId: 'u',
  ...more,
});

/** A stream as Redis keeps it, of which a test says what happens to it. */
const newStream = () => {
  let entries: Entry[] = [];
  let [last, added, next, began] = ['0-0', 0, 0, 9];
  let isThere = false;
  const state = { isAway: false, tellsAdded: true, asked: 0, infos: 0 };
  /** Appends an entry; ids rise beyond what any text order would give. */
  const add = (message: Readonly<Record<string, string>>): void => {
    next += 1;
    last = `${began + Math.floor(next / 2)}-${next % 2}`;
    entries.push({ id: last, message });
    added += 1;
    isThere = true;
  };
  const fail = (): void => {
    if (state.isAway) throw new Error('away');
  };
  const numbersOf = (id: string) => id.split('-').map(Number) as [number, number];
  const isAfter = (id: string, other: string): boolean => {
    const [[ms, index], [otherMs, otherIndex]] = [numbersOf(id), numbersOf(other)];
    return ms > otherMs || (ms === otherMs && index > otherIndex);
  };
  const redis: StreamReader = {
    xRead: async ({ id }, { COUNT }) => {
      state.asked += 1;
      await pause(1);
      fail();
      const messages = entries.filter((entry) => isAfter(entry.id, id)).slice(0, COUNT);
      return messages.length === 0 ? null : [{ name: 's', messages }];
    },
    xInfoStream: async () => {
      state.asked += 1;
      state.infos += 1;
      await pause(1);
      fail();
      if (!isThere) throw new Error('ERR no such key');
      return { 'last-generated-id': last, ...(state.tellsAdded && { 'entries-added': added }) };
    },
  };
  return {
    redis,
    state,
    add,
    addEvents: (...ids: ReadonlyArray<string>) => {
      for (const id of ids) add(eventFields(id));
    },
    /** Drops all but the newest `count` entries. */
    trim: (count: number) => {
      entries = entries.slice(entries.length - count);
    },
    /** Forgets everything, as Redis does that lost its data, or one who deletes the stream. */
    lose: (isClockSetBack = false) => {
      entries = [];
      [last, added, isThere] = ['0-0', 0, false];
      if (isClockSetBack) [next, began] = [0, 5];
    },
  };
};

type Stream = ReturnType<typeof newStream>;

/** Follows `stream`, and has joined it; what was taken so far, in order, with `missed` where something was missed. */
const following = async (stream: Stream, maxLength = 0, missed: () => void = () => undefined) => {
  const took: string[] = [];
  const { log, records } = recordedLog();
  const { currentAsOf, close } = followEvents({
    redis: { client: stream.redis },
    stream: 's',
    maxLength,
    take: (node, { sequenceId, ...event }) => {
      expect([node, event]).toEqual([
        nodeId,
        expect.objectContaining({ type: 'PointAlarmStatusEvent', alarmStatus: 4 }),
      ]);
      took.push(`n ${sequenceId.replace(/^0+(?=..)/u, '')}`);
    },
    missed: () => {
      took.push('missed');
      missed();
    },
    log,
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
  /** Lets reads fail, does `meanwhile`, and lets them succeed again. */
  const outage = async (meanwhile: () => void): Promise<void> => {
    stream.state.isAway = true;
    const { asked } = stream.state;
    await vi.waitFor(() => expect(stream.state.asked).toBeGreaterThan(asked + 1), soon);
    meanwhile();
    stream.state.isAway = false;
  };
  const warnings = () => records.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  return { took, warnings, currentAsOf, isCurrent, outage, close };
};
const soon = { timeout: 4_000, interval: 2 };
const WARNING = 'events of the stream were missed: nodes are asked again';

describe('a follower', () => {
  test('takes every event from when it joined, in order', async () => {
    const stream = newStream();
    stream.addEvents('before');
    const { took, isCurrent } = await following(stream);
    stream.addEvents('01', '02');
    await isCurrent();
    stream.addEvents('03');
    await isCurrent();
    expect(took).toEqual(['n 01', 'n 02', 'n 03']);
  });

  test('takes the first event of a stream that is not there yet', async () => {
    const stream = newStream();
    const { took, isCurrent } = await following(stream);
    stream.addEvents('01');
    await isCurrent();
    expect(took).toEqual(['n 01']);
  });

  test.each<[name: string, fields: Readonly<Record<string, string>>]>([
    ['an entry without the fields of an event', { hello: 'world' }],
    ['an event of another type', eventFields('xx', { type: 'Other' })],
  ])('passes over %s, and counts it as read', async (_name, fields) => {
    const stream = newStream();
    const { took, isCurrent, outage } = await following(stream);
    stream.add(fields);
    stream.addEvents('01');
    await isCurrent();
    await outage(() => undefined);
    await isCurrent();
    expect(took).toEqual(['n 01']);
  });
});

test('a follower says of an event of a node that it cannot read that something was missed, and goes on', async () => {
  const stream = newStream();
  const { took, isCurrent, warnings } = await following(stream);
  stream.add(eventFields('07', { data: '{' }));
  stream.addEvents('08');
  await isCurrent();
  expect(took).toEqual(['missed', 'n 08']);
  expect(warnings()).toEqual(['an event of the stream cannot be read: nodes are asked again']);
});

describe('what a follower knows to have', () => {
  test('is up to the begin of the read that found nothing more', async () => {
    const { currentAsOf, isCurrent } = await following(newStream());
    await isCurrent();
    expect(currentAsOf()).toBeLessThanOrEqual(performance.now());
  });

  test('grows no more while the stream cannot be read', async () => {
    const stream = newStream();
    stream.addEvents('before');
    const { currentAsOf } = await following(stream);
    stream.state.isAway = true;
    const { asked } = stream.state;
    await vi.waitFor(() => expect(stream.state.asked).toBeGreaterThan(asked + 1), soon);
    const stopped = currentAsOf();
    await vi.waitFor(() => expect(stream.state.asked).toBeGreaterThan(asked + 3), soon);
    expect(currentAsOf()).toBe(stopped);
  });

  test('is proven by the count of entries after an outage, once', async () => {
    const stream = newStream();
    const { took, warnings, isCurrent, outage } = await following(stream);
    stream.addEvents('01');
    await isCurrent();
    const { infos } = stream.state;
    await outage(() => stream.addEvents('02', '03'));
    await isCurrent();
    await isCurrent();
    expect(took).toEqual(['n 01', 'n 02', 'n 03']);
    expect(warnings()).toEqual([]);
    expect(stream.state.infos).toBe(infos + 1);
  });

  test('is proven after a page that is full, too: entries may be trimmed before they are read', async () => {
    const stream = newStream();
    const { took, isCurrent } = await following(stream);
    const { infos } = stream.state;
    stream.addEvents(...Array.from({ length: 1_500 }, (_, index) => String(index)));
    await isCurrent();
    expect(took).toHaveLength(1_500);
    expect(stream.state.infos).toBe(infos + 1);
  });
});

describe('a follower that missed something says so, and begins anew where the stream ends', () => {
  const rows: [name: string, meanwhile: (stream: Stream) => void][] = [
    [
      'the stream was trimmed beyond what it had read',
      (stream) => {
        stream.addEvents('02', '03', '04');
        stream.trim(1);
      },
    ],
    [
      'the stream was lost',
      (stream) => {
        stream.lose();
      },
    ],
    [
      'the stream was lost, and there is another one',
      (stream) => {
        stream.addEvents('02');
        stream.lose();
        stream.addEvents('03');
      },
    ],
    [
      'the stream was lost, and the clock of Redis set back',
      (stream) => {
        stream.lose(true);
        stream.addEvents('02');
      },
    ],
    [
      'Redis does not tell how many entries were added',
      (stream) => {
        stream.state.tellsAdded = false;
      },
    ],
  ];
  test.each(rows)('%s', async (_name, meanwhile) => {
    const stream = newStream();
    const { took, warnings, isCurrent, outage } = await following(stream);
    stream.addEvents('01');
    await isCurrent();
    await outage(() => {
      meanwhile(stream);
    });
    await vi.waitFor(() => expect(took).toContain('missed'), soon);
    expect(warnings()).toContain(WARNING);
    await isCurrent();
    stream.addEvents('99');
    await isCurrent();
    expect(took.at(-1)).toBe('n 99');
    expect(took.filter((one) => one === 'missed')).toHaveLength(1);
  });

  test('a stream that keeps fewer entries than one read takes was trimmed beyond it, without an outage', async () => {
    const stream = newStream();
    const { took, isCurrent } = await following(stream, 100);
    stream.addEvents('01');
    await isCurrent();
    stream.addEvents(...Array.from({ length: 300 }, (_, index) => String(index)));
    stream.trim(100);
    await vi.waitFor(() => expect(took).toContain('missed'), soon);
    await isCurrent();
  });

  test('a stream that was empty before the outage may have got entries and lost them', async () => {
    const stream = newStream();
    const { took, isCurrent, outage } = await following(stream);
    await outage(() => {
      stream.addEvents('01');
      stream.lose();
      stream.addEvents('02');
    });
    await vi.waitFor(() => expect(took).toContain('missed'), soon);
    await isCurrent();
  });

  test('knows nothing until then', async () => {
    const stream = newStream();
    stream.addEvents('before');
    const asOfs: number[] = [];
    const { currentAsOf, outage } = await following(stream, 0, () => asOfs.push(currentAsOf()));
    await outage(() => {
      stream.lose();
    });
    await vi.waitFor(() => expect(asOfs).toEqual([-Infinity]), soon);
  });
});

test.each([
  ['while it reads', false],
  ['while the stream cannot be read', true],
])('a follower that is closed ends, %s, and reads no more', async (_name, isAway) => {
  const stream = newStream();
  const { close } = await following(stream);
  stream.state.isAway = isAway;
  const { asked: before } = stream.state;
  await vi.waitFor(() => expect(stream.state.asked).toBeGreaterThan(before), soon);
  const closed = close();
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
  const { asked } = stream.state;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stream.state.asked).toBe(asked);
});
