import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import {
  nextPolicy,
  shouldRecheck,
  MOST_RUN_BYTES,
  MOST_RUN_COMMANDS,
  MOST_RUN_WORK,
  newRunPolicy,
  RUN_COMMITS,
  SENDS_BACK_MS,
  shouldSendBack,
  TAKES_GROUPS_MS,
  type RunEvent,
  type RunPolicy,
  type Task,
} from '../../../../../workflows/domain/node/run-policy';
import { START } from '../../../../support/scenario';

const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const HOUR_MS = 3_600_000;

/**
 * What happens next: whether in another task, how much later by the server's clock, what it brings, how much history there is more.
 * The clock may stand still, be set back, or jump ahead.
 */
const step = fc.record({
  events: fc.oneof(fc.constant(0), fc.integer({ min: 3, max: 10 })),
  later: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(20_000), fc.integer({ min: -HOUR_MS, max: HOUR_MS })),
  bytes: fc.oneof(fc.constant(0), fc.nat(300_000)),
  suggested: fc.boolean(),
  signalsWait: fc.boolean(),
  happened: fc.oneof(
    fc.tuple(fc.nat(64), fc.nat(100_000)).map(([commands, work]): RunEvent => ({ _tag: 'Committed', commands, work })),
    fc.constant<RunEvent>({ _tag: 'Signalled' }),
    fc.nat(100_000).map((work): RunEvent => ({ _tag: 'NothingChanged', work })),
    fc
      .tuple(fc.nat(5_000), draw)
      .map(([ago, drawn]): RunEvent => ({ _tag: 'Published', beganAt: START - ago, draw: drawn })),
    fc.constant<RunEvent>({ _tag: 'LookedAgain' }),
  ),
});
const steps = fc.array(step, { maxLength: 60 });
type Steps = ReadonlyArray<{
  readonly events: number;
  readonly later: number;
  readonly bytes: number;
  readonly suggested: boolean;
  readonly signalsWait: boolean;
  readonly happened: RunEvent;
}>;

/** The run after each of `story`, with its task. */
const policiesAfter = (first: number, story: Steps): ReadonlyArray<readonly [RunPolicy, RunEvent, Task]> => {
  let run = newRunPolicy(first);
  let task: Task = { lastEvent: 3, now: START, historyBytes: 0, continueAsNewSuggested: false, signalsWait: false };
  return story.map(({ events, later, bytes, suggested, signalsWait, happened }) => {
    task = {
      lastEvent: task.lastEvent + events,
      now: task.now + later,
      historyBytes: task.historyBytes + bytes,
      continueAsNewSuggested: suggested,
      signalsWait,
    };
    run = nextPolicy(run, happened, task);
    return [run, happened, task] as const;
  });
};

const isOverdue = (run: RunPolicy, task: Task): boolean =>
  run.commands >= MOST_RUN_COMMANDS || run.work >= MOST_RUN_WORK || task.historyBytes >= MOST_RUN_BYTES;
const isQuiet = (run: RunPolicy, task: Task): boolean => run.signalledIn < task.lastEvent && !task.signalsWait;

describe('a run', () => {
  test.prop([draw, steps])(
    'ends within its bounds in the first task that brings no signal, once none waits',
    (first, story) => {
      for (const [run, , task] of policiesAfter(first, story)) {
        if (isOverdue(run, task) && isQuiet(run, task))
          expect([run.shouldContinueAsNew, run.shouldCancelPublication]).toEqual([true, true]);
      }
    },
  );

  test.prop([draw, steps])('never ends in a task that brings one, or while some wait', (first, story) => {
    for (const [run, , task] of policiesAfter(first, story))
      if (!isQuiet(run, task)) expect([run.shouldContinueAsNew, run.shouldCancelPublication]).toEqual([false, false]);
  });

  test.prop([draw, steps])('breaks off no publication unless it continues as new', (first, story) => {
    for (const [run] of policiesAfter(first, story))
      expect(run.shouldCancelPublication && !run.shouldContinueAsNew).toBe(false);
  });

  test.prop([draw, steps])('counts every commit, every command and all work, once', (first, story) => {
    const brought = story.flatMap(({ happened }) => (happened._tag === 'Committed' ? [happened] : []));
    const run = policiesAfter(first, story).at(-1)?.[0] ?? newRunPolicy(first);
    const commands = brought.reduce((sum, one) => sum + one.commands, 0);
    const work = story.reduce((sum, { happened }) => sum + ('work' in happened ? happened.work : 0), 0);
    expect([run.commits, run.commands, run.work]).toEqual([brought.length, commands, work]);
  });

  test.prop([draw, steps])('has room for 64 to 128 commits, and for as many again after an outage', (first, story) => {
    for (const [run] of policiesAfter(first, story)) {
      expect(run.mostCommits).toBeGreaterThanOrEqual(RUN_COMMITS);
      expect(run.mostCommits).toBeLessThan(run.commits + 2 * RUN_COMMITS + 1);
    }
  });

  test.prop([draw, steps])(
    'that is overdue always comes to a task without a signal: a timer makes one',
    (first, story) => {
      for (const [run, happened, task] of policiesAfter(first, story)) {
        if (isOverdue(run, task) && happened._tag === 'Signalled')
          expect(shouldRecheck(run, happened, task)).toBe(true);
      }
    },
  );

  test.prop([draw, steps])('looks again once for each task that brings a signal, and no more', (first, story) => {
    for (const [run, happened, task] of policiesAfter(first, story))
      if (happened._tag === 'LookedAgain' && isQuiet(run, task)) expect(shouldRecheck(run, happened, task)).toBe(false);
  });

  // Around 0 the sign changes, which a random time seldom meets.
  const jumps = fc.oneof(fc.integer({ min: -10_000, max: 10_000 }), fc.integer({ min: -HOUR_MS, max: HOUR_MS }));
  test.prop([draw, jumps])('sends groups back for six seconds of eight, whatever the clocks do', (first, jump) => {
    const run = { ...newRunPolicy(first), isBlockedBySignals: true, publishedAt: START };
    const seconds = Array.from(
      { length: (SENDS_BACK_MS + TAKES_GROUPS_MS) / 1_000 },
      (_, second) => jump + 1_000 * second,
    );
    expect(seconds.filter((forMs) => shouldSendBack(run, START, forMs))).toHaveLength(SENDS_BACK_MS / 1_000);
  });
});
