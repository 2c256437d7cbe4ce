import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAdmissionMetrics } from '../../../../api/admission/queue-metrics';
import { createNodeQueues, type SendGroup } from '../../../../api/nodes/node-queue';
import type { Caller, Outage } from '../../../../api/ports';
import type { Command } from '../../../../workflows/domain/node/commands';
import type { GroupReceipt, CommandOutcome } from '../../../../workflows/domain/node/apply-group';

const DEADLINE_MS = 10_000;

const numberOf = (command: Command): number => ('status' in command ? command.status : NaN);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Group {
  readonly nodeId: string;
  readonly commands: ReadonlyArray<Command>;
  readonly end: (answer: E.Either<Outage, GroupReceipt>) => Promise<void>;
  /** Answers each command as applied, its number as the revision; `ms` pass meanwhile. */
  readonly applied: (ms?: number) => Promise<void>;
}

const tick = () => vi.advanceTimersByTimeAsync(0);

/** How long a queue waits for the callers of a group to come back (ms). */
const GATHER_MS = 4;

/** Node queues, and the groups that they sent so far; a group ends when the test says so. */
const started = (waitingCalls = 256, canPublish = () => true) => {
  const groups: Group[] = [];
  const sendGroup: SendGroup = (nodeId, commands) =>
    new Promise((resolve) => {
      const end = async (answer: E.Either<Outage, GroupReceipt>, ms = GATHER_MS): Promise<void> => {
        resolve({ answer, completed: Promise.resolve() });
        await vi.advanceTimersByTimeAsync(ms);
      };
      const outcome = (command: Command): CommandOutcome => ({ _tag: 'Applied', revision: numberOf(command) });
      groups.push({ nodeId, commands, end, applied: (ms) => end(E.right({ outcomes: commands.map(outcome) }), ms) });
    });
  const registry = new Registry();
  const admission = createAdmissionMetrics(registry);
  const { submit } = createNodeQueues(
    { callDeadlineMs: DEADLINE_MS, waitingCalls, canPublish, registry, admission },
    sendGroup,
  );
  const call = (status: number, by: Partial<Caller> = {}) =>
    submit('node', { name: 'setExternalAlarm', userId: 'tester', status } as Command, { userId: 'tester', ...by });
  return { groups, call, registry };
};

const numbers = (group: Group | undefined): ReadonlyArray<unknown> => (group?.commands ?? []).map(numberOf);
const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);

describe('a node queue', () => {
  test('sends a group until the latest deadline in it, less the time for the answer', async () => {
    const untils: number[] = [];
    const ends: Array<() => void> = [];
    const sendGroup: SendGroup = (_, commands, until) =>
      new Promise((resolve) => {
        untils.push(until);
        const answer = E.right({ outcomes: commands.map((): CommandOutcome => ({ _tag: 'Unchanged', revision: 0 })) });
        ends.push(() => resolve({ answer, completed: Promise.resolve() }));
      });
    const { submit } = createNodeQueues(
      { callDeadlineMs: DEADLINE_MS, waitingCalls: 256, canPublish: () => true, registry: new Registry() },
      sendGroup,
    );
    const begin = performance.now();
    for (const _ of upTo(3)) {
      void submit('node', { name: 'setExternalAlarm', userId: 'tester', status: 1 });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    ends[0]?.();
    await tick();
    expect(untils.map((until) => Math.round(until - begin))).toEqual([DEADLINE_MS - 100, 2_000 + DEADLINE_MS - 100]);
  });

  test('waits a moment for the callers of a group, so that they go together again', async () => {
    const { groups, call } = started();
    const calls = upTo(4).map((number) => call(number));
    await groups[0]?.applied();
    calls.push(call(4));
    await groups[1]?.applied(0);
    calls.push(call(5), call(6));
    await tick();
    expect(groups.map(numbers)).toEqual([[0], [1, 2, 3]]);
    calls.push(call(7));
    await tick();
    expect(groups.map(numbers)).toEqual([[0], [1, 2, 3], [4, 5, 6, 7]]);
    await groups[2]?.applied(0);
    calls.push(call(8));
    await vi.advanceTimersByTimeAsync(GATHER_MS - 1);
    expect(groups).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(groups.map(numbers)[3]).toEqual([8]);
    await groups[3]?.applied();
    expect(await Promise.all(calls)).toEqual(upTo(9).map((revision) => E.right({ _tag: 'Applied', revision })));
  });

  test('gives each call its own outcome', async () => {
    const { groups, call } = started();
    const first = call(0);
    const calls = upTo(4).map((number) => call(number));
    await groups[0]?.applied();
    const refusal = { _tag: 'PreconditionFailed', revision: 7 } as const;
    await groups[1]?.end(
      E.right({
        outcomes: [
          { _tag: 'Applied', revision: 3 },
          { _tag: 'Refused', refusal },
          { _tag: 'Unchanged', revision: 3 },
        ],
      }),
    );
    expect(await first).toEqual(E.right({ _tag: 'Applied', revision: 0 }));
    expect(await Promise.all(calls)).toEqual([
      E.right({ _tag: 'Applied', revision: 3 }),
      E.left(refusal),
      E.right({ _tag: 'Unchanged', revision: 3 }),
      E.left({ _tag: 'Unavailable', dependency: 'The node', retryAfter: 1, mayHaveChanged: true }),
    ]);
  });

  test('refuses a call when too many wait, and takes calls again once they went', async () => {
    const { groups, call } = started(3);
    const calls = upTo(4).map((number) => call(number));
    expect(await call(4)).toEqual(E.left({ _tag: 'QueueFull', retryAfter: 1 }));
    await groups[0]?.applied();
    const later = call(5);
    await groups[1]?.applied();
    await groups[2]?.applied();
    expect(await Promise.all([...calls, later])).toEqual(
      [0, 1, 2, 3, 5].map((revision) => E.right({ _tag: 'Applied', revision })),
    );
  });
});

describe('a node that has no room for a whole group', () => {
  const applied = (count: number): ReadonlyArray<CommandOutcome> =>
    upTo(count).map((revision) => ({ _tag: 'Applied', revision }));
  const full = { _tag: 'OutboxFull', waiting: 10 } as const;

  test('is asked again after ever longer pauses while it takes nothing', async () => {
    const { groups, call } = started();
    const only = call(1);
    for (let tries = 1; tries <= 8; tries += 1) {
      await groups[tries - 1]?.end(E.right({ outcomes: [], postponed: full }));
      expect(groups).toHaveLength(tries);
      await vi.advanceTimersByTimeAsync(400);
      expect(groups).toHaveLength(tries + 1);
    }
    await groups[8]?.applied();
    expect(await only).toEqual(E.right({ _tag: 'Applied', revision: 1 }));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that stays full until the deadline refuses, and the call has changed nothing', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { groups, call } = started();
    const only = call(1);
    for (let waited = 0, ended = 0; waited <= DEADLINE_MS; waited += 20) {
      for (; ended < groups.length; ended += 1) await groups[ended]?.end(E.right({ outcomes: [], postponed: full }));
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(await only).toEqual(E.left(full));
    const next = call(2);
    await vi.advanceTimersByTimeAsync(400);
    expect(groups.map(numbers).at(-1)).toEqual([2]);
    await groups.at(-1)?.applied();
    expect(await next).toEqual(E.right({ _tag: 'Applied', revision: 2 }));
    vi.restoreAllMocks();
  });

  test('does not pause for what earlier callers met, who are gone', async () => {
    const { groups, call } = started();
    const end = () => groups.at(-1)?.end(E.right({ outcomes: [], postponed: full }));
    const gone = new AbortController();
    void call(1, { disconnected: gone.signal });
    for (const _ of upTo(8)) {
      await vi.advanceTimersByTimeAsync(400);
      await end();
    }
    gone.abort();
    await vi.advanceTimersByTimeAsync(400);
    const next = call(2);
    await end();
    const before = groups.length;
    await vi.advanceTimersByTimeAsync(20);
    expect(groups.length).toBe(before + 1);
    await groups.at(-1)?.applied();
    expect(await next).toEqual(E.right({ _tag: 'Applied', revision: 2 }));
  });

  test('refuses at once while events cannot be published', async () => {
    const { groups, call } = started(256, () => false);
    const calls = [call(1), call(2)];
    await groups[0]?.end(E.right({ outcomes: [], postponed: full }));
    expect(await calls[0]).toEqual(E.left(full));
    await groups[1]?.applied();
    expect(await calls[1]).toEqual(E.right({ _tag: 'Applied', revision: 2 }));
  });

  test('whose answer is full is asked again at once, also while events cannot be published', async () => {
    const { groups, call } = started(256, () => false);
    const first = call(0);
    const calls = [call(1), call(2)];
    await groups[0]?.applied();
    await groups[1]?.end(E.right({ outcomes: applied(1), postponed: { _tag: 'GroupFull' } }));
    expect(groups.map(numbers)).toEqual([[0], [1, 2], [2]]);
    await groups[2]?.applied();
    expect(await Promise.all([first, ...calls])).toEqual(
      [0, 0, 2].map((revision) => E.right({ _tag: 'Applied', revision })),
    );
  });

  test('does not send a call again whose deadline passed meanwhile', async () => {
    const { groups, call } = started();
    const first = call(0);
    const second = call(1);
    await groups[0]?.applied();
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(await second).toEqual(E.left({ _tag: 'TimedOut' }));
    await groups[1]?.end(E.right({ outcomes: [], postponed: full }));
    expect(await first).toEqual(E.right({ _tag: 'Applied', revision: 0 }));
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(groups.map(numbers)).toEqual([[0], [1]]);
  });
});

describe('a deadline', () => {
  const unsent = {
    ...E.left(undefined),
    left: { _tag: 'Unavailable', dependency: 'The node', retryAfter: 1, mayHaveChanged: false },
  };

  test('that passes before a call is sent means that nothing changed, and it is not sent any more', async () => {
    const { groups, call } = started();
    const sent = call(0);
    const waiting = call(1);
    await vi.advanceTimersByTimeAsync(1_000);
    const later = call(2);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS - 1_000);
    expect(await sent).toEqual(E.left({ _tag: 'TimedOut' }));
    expect(await waiting).toEqual(unsent);
    await groups[0]?.applied();
    expect(groups.map(numbers)).toEqual([[0], [2]]);
    await groups[1]?.applied();
    expect(await later).toEqual(E.right({ _tag: 'Applied', revision: 2 }));
  });

  test('that passes does not let the next group overtake one that is still in flight', async () => {
    const { groups, call } = started();
    void call(0);
    await vi.advanceTimersByTimeAsync(3 * DEADLINE_MS);
    expect(await call(1)).toEqual(E.left({ ...unsent.left, retryAfter: 10 }));
    expect(groups.map(numbers)).toEqual([[0]]);
    await groups[0]?.applied();
    const last = call(2);
    expect(groups.map(numbers)).toEqual([[0], [2]]);
    await groups[1]?.applied();
    expect(await last).toEqual(E.right({ _tag: 'Applied', revision: 2 }));
  });

  test('leaves no timer behind once its call is answered', async () => {
    const { groups, call } = started();
    const answered = call(0);
    await groups[0]?.applied();
    await answered;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('the metrics show what waits and what is in flight, and count groups and those that were given up', async () => {
  const { groups, call, registry } = started();
  const shows = async (...lines: ReadonlyArray<string>): Promise<void> => {
    const shown = (await registry.metrics()).split('\n');
    expect(shown).toEqual(expect.arrayContaining(lines.map((line) => `point_alarm_${line}`)));
  };
  const calls = [call(0), call(1), call(2)];
  await shows('waiting_calls{calls="commands"} 2', 'slots_in_flight{calls="commands"} 1');
  await groups[0]?.applied();
  await shows('waiting_calls{calls="commands"} 0', 'slots_in_flight{calls="commands"} 1');
  await groups[1]?.end(E.left({ _tag: 'TimedOut' }));
  await Promise.all(calls);
  await shows('slots_in_flight{calls="commands"} 0', 'group_commands_count 2', 'group_commands_sum 3');
  await shows('groups_given_up_total 1', 'group_duration_seconds_count 2', 'queue_wait_seconds_count 2');
});
