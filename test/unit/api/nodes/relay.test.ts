import * as E from 'fp-ts/Either';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Appended, Publisher } from '../../../../stream/append';
import type { GroupPayload } from '../../../../api/nodes/temporal/send-group';
import type { SentGroup } from '../../../../api/nodes/node-queue';
import type { Outage } from '../../../../api/ports';
import type { PublishIntent, PublishIntents } from '../../../../stream/publish-intents';
import { createRelay, type RelayParts } from '../../../../api/nodes/relay';
import type { GroupReceipt, CommandOutcome } from '../../../../workflows/domain/node/apply-group';
import type { OutboxEvent } from '../../../../workflows/domain/node/outbox';
import { recordedLog } from '../../../support/recorded-log';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const commands = [{ name: 'setExternalAlarm', userId: 'tester', status: 4 }] as const;
const applied: CommandOutcome = { _tag: 'Applied', revision: 0 };
const unchanged: CommandOutcome = { _tag: 'Unchanged', revision: 0 };
const about = { type: 'PointAlarmStatusEvent', timestamp: 0, userId: 'u', data: {} } as const;
const event = (sequenceId: string): OutboxEvent => ({ ...about, sequenceId });
const handedOver = (...ids: ReadonlyArray<string>): GroupReceipt => ({
  outcomes: [applied],
  unconfirmed: ids.map(event),
});
const answered = (receipt: GroupReceipt): SentGroup => ({ answer: E.right(receipt), completed: Promise.resolve() });
const failed = (outage: Outage): SentGroup => ({ answer: E.left(outage), completed: Promise.resolve() });

/** What the parts of a relay do; what is not said succeeds. */
interface Story {
  readonly write?: () => Promise<PublishIntent>;
  readonly sent?: ReadonlyArray<SentGroup>;
  readonly append?: Publisher['append'];
  /** Whether a node that is asked to publish does so. */
  readonly publishes?: (nodeId: string, deadlineMs?: number) => Promise<boolean>;
  readonly remove?: PublishIntents['remove'];
  readonly orphaned?: PublishIntents['orphaned'];
}

/** A relay whose parts follow `story`, and what it did with them, in order. */
const relaying = ({
  write,
  sent = [],
  append = appendAll,
  publishes = () => Promise.resolve(true),
  remove = () => Promise.resolve(),
  orphaned = () => Promise.resolve([]),
}: Story) => {
  const did: string[] = [];
  const payloads: GroupPayload[] = [];
  const { log, records } = recordedLog();
  const recorded = (intent: PublishIntent) => `intent ${intent.text}`;
  const parts: RelayParts = {
    send: (nodeId, payload) => {
      did.push(`send to ${nodeId}`);
      payloads.push(payload);
      return Promise.resolve(sent[payloads.length - 1] ?? failed({ _tag: 'TimedOut' }));
    },
    publishNow: (nodeId, deadlineMs) => {
      did.push(`publishNow to ${nodeId}`);
      return publishes(nodeId, deadlineMs);
    },
    publisher: {
      append: (batch) => {
        did.push(`append ${batch.events.map(({ sequenceId }) => sequenceId).join()}`);
        return append(batch);
      },
    },
    intents: {
      write: (nodeId) => {
        did.push('write');
        return write?.() ?? Promise.resolve({ text: `of ${nodeId}`, nodeId });
      },
      remove: (intents) => {
        did.push(`remove ${intents.map(recorded).join()}`);
        return remove(intents);
      },
      orphan: (intent) => did.push(`orphan ${recorded(intent)}`),
      refreshLiveness: () => Promise.resolve(),
      orphaned,
    },
    log,
  };
  const relay = createRelay(parts);
  const send = () => relay.sendGroup('n', commands, Date.now() + 10_000);
  /** Sends a group, and waits until nothing of it is in flight. */
  const completed = async () => {
    const { answer, completed: end } = await send();
    await end;
    return answer;
  };
  return { relay, did, payloads, records, send, completed };
};

const appendAll: Publisher['append'] = async ({ events }) => ({
  newest: events.at(-1)?.sequenceId ?? '',
  added: events.length,
  isPublished: true,
});
const never = <A>(): Promise<A> => new Promise(() => undefined);

describe('a group whose events the node hands over', () => {
  test('is recorded, sent, appended and forgotten, in this order', async () => {
    const { did, payloads, completed } = relaying({ sent: [answered(handedOver('01', '02'))] });
    expect(await completed()).toEqual(E.right(handedOver('01', '02')));
    expect(did).toEqual(['write', 'send to n', 'append 01,02', 'remove intent of n']);
    expect(payloads).toEqual([{ commands, relay: 'api' }]);
  });

  test('is answered while the stream does not answer yet', async () => {
    const { did, send } = relaying({ sent: [answered(handedOver('01'))], append: () => never() });
    expect((await send()).answer).toEqual(E.right(handedOver('01')));
    expect(did).toEqual(['write', 'send to n', 'append 01']);
  });

  test('has the node publish when the stream does not answer within 700 ms', async () => {
    const { did, send } = relaying({ sent: [answered(handedOver('01'))], append: () => never() });
    const { completed } = await send();
    await vi.advanceTimersByTimeAsync(699);
    expect(did).not.toContain('publishNow to n');
    await vi.advanceTimersByTimeAsync(1);
    await completed;
    expect(did.slice(-2)).toEqual(['publishNow to n', 'remove intent of n']);
  });
});

test('a node whose events may be below those of an earlier life publishes by itself, and confirms nothing', async () => {
  const append = () => Promise.resolve({ newest: '09', added: 0, isPublished: false });
  const { did, payloads, completed } = relaying({
    sent: [answered(handedOver('01')), answered(handedOver('02'))],
    append,
  });
  await completed();
  expect(did.slice(-2)).toEqual(['publishNow to n', 'remove intent of n']);
  await completed();
  expect(payloads.at(-1)).toEqual({ commands, relay: 'api' });
});

describe('a group whose events the node keeps', () => {
  test('is sent to a node that publishes by itself, where no intent can be written', async () => {
    const write = () => Promise.reject(new Error('unavailable'));
    const { did, payloads, completed } = relaying({ write, sent: [answered({ outcomes: [applied] })] });
    await completed();
    expect(did).toEqual(['write', 'send to n']);
    expect(payloads).toEqual([{ commands }]);
  });

  test('has the node publish when nothing was applied: it may repeat a group whose answer was lost', async () => {
    const { did, completed } = relaying({ sent: [answered({ outcomes: [unchanged] })] });
    await completed();
    expect(did.slice(-2)).toEqual(['publishNow to n', 'remove intent of n']);
  });
});

test('a relay ends when all that is on its way to the stream has arrived', async () => {
  let arrive = (): void => undefined;
  const append = () =>
    new Promise<Appended>((resolve) => {
      arrive = () => resolve({ newest: '01', added: 1, isPublished: true });
    });
  const { did, relay, send } = relaying({ sent: [answered(handedOver('01'))], append });
  await send();
  const closed = relay.close().then(() => did.push('closed'));
  await vi.advanceTimersByTimeAsync(100);
  expect(did).not.toContain('closed');
  arrive();
  await closed;
  expect(did).toEqual(['write', 'send to n', 'append 01', 'remove intent of n', 'closed']);
});

describe('the intents of a process that died', () => {
  /** One for each of `nodeIds`, until they are removed. */
  const left = (nodeIds: ReadonlyArray<string>): Required<Pick<Story, 'orphaned' | 'remove'>> => {
    const since = Date.now();
    let kept = nodeIds.map((nodeId) => ({ text: `of ${nodeId}`, nodeId }));
    return {
      orphaned: (ms) => {
        const ageMs = Date.now() - since;
        return Promise.resolve(ageMs > ms ? kept.map((intent) => ({ ...intent, ageMs })) : []);
      },
      remove: (done) => {
        kept = kept.filter(({ text }) => !done.some((intent) => intent.text === text));
        return Promise.resolve();
      },
    };
  };
  const asked = (did: ReadonlyArray<string>) => did.filter((one) => one.startsWith('publishNow'));

  test('have their nodes publish from the tenth second on, and go after a minute, once the nodes answered', async () => {
    const { did } = relaying(left(['n']));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(did).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked(did)).toEqual(['publishNow to n']);
    await vi.advanceTimersByTimeAsync(46_000);
    expect(did).not.toContain('remove intent of n');
    await vi.advanceTimersByTimeAsync(6_000);
    expect(did.at(-1)).toBe('remove intent of n');
  });

  test('of nodes that do not answer hold up those of other nodes for a pass at most', async () => {
    const stuck = Array.from({ length: 50 }, (_, index) => `stuck ${index}`);
    const [first, second] = [left(stuck), left(['other'])];
    let comes = Infinity;
    const { did } = relaying({
      remove: () => Promise.resolve(),
      orphaned: async (ms) => [...(await first.orphaned(ms)), ...(Date.now() > comes ? await second.orphaned(ms) : [])],
      publishes: (nodeId, deadlineMs = 5_000) =>
        nodeId === 'other' ? Promise.resolve(true) : new Promise((resolve) => setTimeout(resolve, deadlineMs, false)),
    });
    await vi.advanceTimersByTimeAsync(60_000); // the first pass is over
    comes = Date.now();
    await vi.advanceTimersByTimeAsync(8_000);
    expect(did).toContain('publishNow to other');
  });

  test('do not have the passes that came due while nodes did not answer all begin once they do', async () => {
    let answer = (): void => undefined;
    const hanging = new Promise<boolean>((resolve) => {
      answer = () => resolve(false);
    });
    const { did, relay } = relaying({
      ...left(['one', 'other']),
      publishes: () => (asked(did).length > 2 ? Promise.resolve(true) : hanging),
    });
    const pass = ['publishNow to one', 'publishNow to other'];
    await vi.advanceTimersByTimeAsync(40_000); // Temporal hangs
    expect(asked(did)).toEqual(pass);
    answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked(did)).toEqual(pass);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked(did)).toEqual([...pass, ...pass]);
    await relay.close();
  });
});
