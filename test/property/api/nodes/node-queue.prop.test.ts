import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createNodeQueues, type SendGroup } from '../../../../api/nodes/node-queue';
import type { Outage } from '../../../../api/ports';
import type { Command } from '../../../../workflows/domain/node/commands';

const numberOf = (command: Command): number => ('status' in command ? command.status : NaN);

const outage: Outage = { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: false };

type Sent = { readonly nodeId: string; readonly numbers: ReadonlyArray<number> };

/** Node queues over nodes that end each group when the scheduler says so; some groups are lost, of others only the first are taken. */
const scheduled = (
  scheduler: fc.Scheduler,
  isLost: (group: number) => boolean,
  leftOf: (group: number, commands: number) => number,
) => {
  const sent: Sent[] = [];
  const inFlight = new Map<string, number>();
  let most = 0;
  const sendGroup: SendGroup = async (nodeId, commands) => {
    const index = sent.push({ nodeId, numbers: commands.map(numberOf) }) - 1;
    inFlight.set(nodeId, (inFlight.get(nodeId) ?? 0) + 1);
    most = Math.max(most, inFlight.get(nodeId) ?? 0);
    await scheduler.schedule(Promise.resolve());
    const outcomeOf = (command: Command) => ({ _tag: 'Applied', revision: numberOf(command) }) as const;
    const completed = scheduler.schedule(Promise.resolve()).then(() => {
      inFlight.set(nodeId, (inFlight.get(nodeId) ?? 0) - 1);
    });
    const left = leftOf(index, commands.length);
    const taken = commands.slice(0, commands.length - left);
    const postponed = left > 0 ? { postponed: { _tag: 'OutboxFull', waiting: 1 } as const } : {};
    const answer = isLost(index) ? E.left(outage) : E.right({ outcomes: taken.map(outcomeOf), ...postponed });
    if (E.isRight(answer)) sent[index] = { nodeId, numbers: taken.map(numberOf) };
    return { answer, completed };
  };
  return { sendGroup, sent, most: () => most };
};

const arrivals = fc.array(
  fc.record({
    node: fc.constantFrom('a', 'a', 'a', 'b'),
    kilobytes: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 60, 90, 260),
  }),
  { maxLength: 150 },
);

test('each node gets every call once, in the order of arrival, one bounded group at a time, each with its own answer', () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), arrivals, fc.infiniteStream(fc.nat(5)), async (scheduler, calls, draws) => {
      const drawn: number[] = [];
      const fate = (group: number): number => (drawn[group] ??= draws.next().value);
      const isLost = (group: number): boolean => fate(group) === 0;
      const leftOf = (group: number, commands: number): number => Math.min(commands - 1, Math.max(0, fate(group) - 2));
      const { sendGroup, sent, most } = scheduled(scheduler, isLost, leftOf);
      const { submit } = createNodeQueues(
        { callDeadlineMs: 60_000, waitingCalls: 1_000, canPublish: () => true, registry: new Registry() },
        sendGroup,
      );
      const answers = calls.map(({ node, kilobytes }, status) =>
        submit(node, {
          name: 'setExternalAlarm',
          userId: 'tester',
          status,
          tags: 'x'.repeat(kilobytes * 1_024),
        } as Command),
      );
      const answered = await scheduler.waitFor(Promise.all(answers));

      for (const node of ['a', 'b']) {
        const arrived = calls.flatMap((call, number) => (call.node === node ? [number] : []));
        expect(sent.filter(({ nodeId }) => nodeId === node).flatMap(({ numbers }) => numbers)).toEqual(arrived);
      }
      expect(most()).toBeLessThanOrEqual(1);
      for (const { numbers } of sent) {
        const bytes = numbers.reduce((sum, number) => sum + (calls[number]?.kilobytes ?? 0) * 1_024, 0);
        expect(numbers.length).toBeLessThanOrEqual(64);
        expect(numbers.length === 1 || bytes <= 256 * 1_024).toBe(true);
      }
      const groupOf = (number: number): number => sent.findIndex(({ numbers }) => numbers.includes(number));
      expect(answered).toEqual(
        calls.map((_, number) =>
          isLost(groupOf(number)) ? E.left(outage) : E.right({ _tag: 'Applied', revision: number }),
        ),
      );
    }),
    { numRuns: 100 },
  ));
