import { expect, test } from 'vitest';
import {
  nextPolicy,
  shouldRecheck,
  MOST_RUN_BYTES,
  MOST_RUN_COMMANDS,
  MOST_RUN_WORK,
  newRunPolicy,
  PUBLISHES_WITHIN_MS,
  RUN_BYTES,
  RUN_COMMANDS,
  RUN_COMMANDS_WITH_SIGNALS,
  RUN_COMMITS,
  RUN_WORK,
  SENDS_BACK_MS,
  shouldSendBack,
  SIGNALS_LAST_MS,
  TAKES_GROUPS_MS,
  type RunEvent,
  type RunPolicy,
  type Task,
} from '../../../../../workflows/domain/node/run-policy';
import { START } from '../../../../support/scenario';

const task = (now: number, more: Partial<Task> = {}): Task => ({
  lastEvent: 10 + 10 * now,
  now: START + now,
  historyBytes: 0,
  continueAsNewSuggested: false,
  signalsWait: false,
  ...more,
});
const committed = (commands: number, work = 0): RunEvent => ({ _tag: 'Committed', commands, work });
const signalled: RunEvent = { _tag: 'Signalled' };
const published = (beganAt: number, draw = 0): RunEvent => ({ _tag: 'Published', beganAt: START + beganAt, draw });
const due = [committed(RUN_COMMANDS), task(0)] as const;
const overdue = [committed(MOST_RUN_COMMANDS), task(0)] as const;
const aSignal = [signalled, task(0)] as const;
const waits = task(1, { signalsWait: true });
const inVain = (work: number): RunEvent => ({ _tag: 'NothingChanged', work });
const lookedAgain: RunEvent = { _tag: 'LookedAgain' };

type Story = ReadonlyArray<readonly [RunEvent, Task]>;
const policyAfter = (story: Story, draw = 0.5): RunPolicy =>
  story.reduce((run, [happened, at]) => nextPolicy(run, happened, at), newRunPolicy(draw));
const commits = (count: number, now = 0): Story =>
  Array.from({ length: count }, () => [committed(1), task(now)] as const);

const suggested = task(0, { continueAsNewSuggested: true });
const drawn = commits(1.5 * RUN_COMMITS);
const aHundred = (now: number) => [committed(RUN_COMMANDS_WITH_SIGNALS), task(now)] as const;
const endsAfter = (ms: number) => [published(0), task(ms)] as const;
test.each<[name: string, story: Story, shouldContinueAsNew: boolean, shouldCancelPublication: boolean]>([
  ['that just began goes on', [], false, false],
  ['of few commands goes on', [[committed(RUN_COMMANDS - 1), task(0)]], false, false],
  ['of 500 commands continues as new', [[committed(RUN_COMMANDS), task(0)]], true, false],
  ['of 750 commands breaks a publication off', [[committed(MOST_RUN_COMMANDS), task(0)]], true, true],
  ['of less work than a run may take goes on', [[committed(1, RUN_WORK - 1), task(0)]], false, false],
  ['of as much work continues as new', [[committed(1, RUN_WORK), task(0)]], true, false],
  ['of half as much again breaks a publication off', [[committed(1, MOST_RUN_WORK), task(0)]], true, true],
  ['of fewer commits than were drawn goes on', commits(1.5 * RUN_COMMITS - 1), false, false],
  ['of as many commits as were drawn continues as new', drawn, true, false],
  ['of 2 MiB of history continues as new', [[committed(1), task(0, { historyBytes: RUN_BYTES })]], true, false],
  ['of 3 MiB breaks a publication off', [[committed(1), task(0, { historyBytes: MOST_RUN_BYTES })]], true, true],
  ['continues as new where the server suggests it', [[committed(1), suggested]], true, false],
  ['continues as new in the first task without one', [overdue, aSignal, [committed(1), task(1)]], true, true],
  ['or when it looks again in one', [due, aSignal, [lookedAgain, task(250)]], true, false],
  ['does so also where time stands still', [due, aSignal, [lookedAgain, task(0, { lastEvent: 11 })]], true, false],
  ['goes on while signals wait, however overdue', [overdue, aSignal, [inVain(1), waits]], false, false],
  ['ends once none waits', [overdue, aSignal, [inVain(1), waits], [inVain(1), task(2)]], true, true],
  ['counts the work of what changes nothing', [[inVain(RUN_WORK), task(0)]], true, false],
  ['is shorter while there are signals', [aSignal, aHundred(SIGNALS_LAST_MS - 1)], true, false],
  ['is as long as others once they are over', [aSignal, aHundred(SIGNALS_LAST_MS)], false, false],
  ['whose publication hung draws its commits anew', [...drawn, endsAfter(PUBLISHES_WITHIN_MS + 1)], false, false],
  ['whose publication did not hang does not', [...drawn, endsAfter(PUBLISHES_WITHIN_MS)], true, false],
])('a run %s', (_name, story, shouldContinueAsNew, shouldCancelPublication) =>
  expect(policyAfter(story)).toMatchObject({ shouldContinueAsNew, shouldCancelPublication }),
);

const sends: Story = [
  [published(0), task(1)],
  [signalled, task(2)],
  [committed(RUN_COMMANDS_WITH_SIGNALS), task(3)],
];
const turn = SENDS_BACK_MS + TAKES_GROUPS_MS;

test.each<[name: string, story: Story, now: number, forMs: number, sent: boolean]>([
  ['by a run that is due and gets signals', sends, 3, 0, true],
  ['until it publishes no more', sends, 1 + PUBLISHES_WITHIN_MS, PUBLISHES_WITHIN_MS, false],
  ['as long as it publishes', [...sends, [published(4_400), task(4_500)]], 6_000, SENDS_BACK_MS - 1, true],
  ['for six seconds', [...sends, [published(5_000), task(5_001)]], 6_000, SENDS_BACK_MS, false],
  ['not by one that is not due', sends.slice(0, 2), 3, 0, false],
  ['by one that has some that wait', [due, [published(0), task(1)], [inVain(1), waits]], 3, 0, true],
  ['not by one that gets none', [[published(0), task(1)], due], 3, 0, false],
  ['not by one that does not publish', sends.slice(1), 3, 0, false],
  ['again, once it took groups for two seconds', sends, 4, turn, true],
  ['not earlier', sends, 4, turn - 1, false],
  ['for six seconds too where time stands still', sends, 3, SENDS_BACK_MS, false],
  ['and where the clock of the worker was set back', sends, 3, -1, false],
])('groups are sent back %s', (_name, story, now, forMs, sent) =>
  expect(shouldSendBack(policyAfter(story), START + now, forMs)).toBe(sent),
);

test.each<[name: string, story: Story, happened: RunEvent, now: number, looks: boolean]>([
  ['after one, where it is overdue', [overdue], signalled, 1, true],
  ['not where it is only due', [due], signalled, 1, false],
  ['not after a command', [overdue], committed(1), 1, false],
  ['not after a look without one', [overdue], lookedAgain, 1, false],
  ['again after a look with one', [overdue, [signalled, task(1)]], lookedAgain, 1, true],
])('a node looks again for a task without a signal: %s', (_name, story, happened, now, looks) => {
  expect(shouldRecheck(nextPolicy(policyAfter(story), happened, task(now)), happened, task(now))).toBe(looks);
});

test('a node whose time stands still does not look again for ever', () => {
  const stillSo = task(0, { lastEvent: 20 });
  const looked = nextPolicy(policyAfter([overdue, aSignal]), lookedAgain, stillSo);
  expect([shouldRecheck(looked, lookedAgain, stillSo), looked.shouldContinueAsNew]).toEqual([false, true]);
});
