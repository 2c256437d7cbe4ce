import { describe, expect, test } from 'vitest';
import {
  CARRIED_SIGNALS_BYTES,
  OUTBOX_BYTES,
  WAITING_SIGNALS,
  WAITING_SIGNALS_BYTES,
} from '../../../workflows/domain/limits';
import { refusalIn } from '../../../workflows/domain/node/apply-group';
import { emptyOutbox } from '../../../workflows/domain/node/outbox';
import type { Node } from '../../../workflows/domain/node/state';
import { COMMAND_WORK, GROUP_WORK } from '../../../workflows/domain/node/work-estimate';
import { newSignalQueue, newWaitingSignals } from '../../../workflows/signal-queue';
import { setExternalAlarm, setThreshold } from '../../support/commands';
import { nodeAfter, START, type Sent } from '../../support/scenario';

/** A queue before a node; what came of each signal, in order: `true` where it was applied. */
const queueOf = (begun: Node) => {
  let node = begun;
  const waiting = newWaitingSignals([]);
  const came: boolean[] = [];
  const work: number[] = [];
  const queue = newSignalQueue({
    node: () => node,
    waiting,
    finishSignal: (_signal, applied) => {
      node = applied.node;
      came.push(refusalIn(applied) === undefined);
      work.push(applied.work + applied.postponedWork);
    },
    recordUnchanged: (vain) => work.push(vain),
  });
  return {
    ...{ queue, came, work },
    waiting: waiting.all,
    node: () => node,
    publish: () => {
      node = { ...node, outbox: emptyOutbox };
      queue.onPublished();
    },
    submit: ([name, payload]: Sent, task = 1) => queue.submit({ name, payload }, task, START),
  };
};
const many = <A>(count: number, item: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => item(index));
const statuses = (count: number) => many(count, (index) => setExternalAlarm({ status: index % 5 }));
/** So many of the least work are a group's work. */
const MOST = Math.ceil(GROUP_WORK / COMMAND_WORK);

describe('signals of one workflow task', () => {
  test('are taken at once up to the work of a group; the others wait for turns of as much', () => {
    const { submit, queue, came, waiting, work } = queueOf(nodeAfter([]));
    for (const status of statuses(3 * MOST)) submit(status);
    const first = came.length;
    expect(first).toBeLessThanOrEqual(MOST);
    expect(waiting()).toHaveLength(3 * MOST - first);
    submit(setExternalAlarm({ status: 1 }), 2); // another task, and nothing overtakes
    expect(came).toHaveLength(first);
    let turns = 0;
    for (; waiting().length > 0; turns += 1) {
      const before = work.length;
      queue.applyTurn(START);
      const inTurn = work.slice(before, -1).reduce((sum, one) => sum + one, 0);
      expect(inTurn).toBeLessThan(GROUP_WORK);
    }
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(came).toHaveLength(3 * MOST + 1);
  });

  test('count as work also where they are refused', () => {
    const { submit, came, waiting } = queueOf(nodeAfter([]));
    for (const status of many(2 * MOST, () => setExternalAlarm({ status: 9 }))) submit(status);
    expect(came.length).toBeLessThanOrEqual(MOST);
    expect(came).not.toContain(true);
    expect(waiting()).toHaveLength(2 * MOST - came.length);
  });

  test('are taken in the order in which they came', () => {
    const { submit, queue, node, waiting } = queueOf(nodeAfter([]));
    const last = 2 * MOST;
    for (const fullScale of many(last, (index) => index + 1)) submit(setThreshold({ fullScale }));
    while (waiting().length > 0) queue.applyTurn(START);
    expect(node().state.threshold.fullScale).toBe(last);
  });

  test('at once where they nest deeper than a run can carry on', () => {
    const { submit, came, waiting } = queueOf(nodeAfter([]));
    for (const status of statuses(2 * MOST)) submit(status);
    const [taken, waits] = [came.length, waiting().length];
    submit(setExternalAlarm({ status: JSON.parse('['.repeat(99) + ']'.repeat(99)) as unknown }));
    expect([came.length, came.at(-1), waiting().length]).toEqual([taken + 1, false, waits]);
  });

  test('are refused where more wait than a node keeps', () => {
    const { submit, came, waiting } = queueOf(nodeAfter([]));
    for (const status of statuses(MOST)) submit(status);
    const taken = came.length;
    const large = 'x'.repeat(64 * 1_024);
    for (const status of many(100, () => setExternalAlarm({ status: large }))) submit(status);
    expect(newWaitingSignals(waiting()).bytes()).toBeLessThanOrEqual(WAITING_SIGNALS_BYTES);
    expect(came.slice(taken)).toEqual(many(100 - (waiting().length + taken - MOST), () => false));
    const small = queueOf(nodeAfter([]));
    for (const status of statuses(5_000)) small.submit(status);
    expect(newWaitingSignals(small.waiting()).bytes()).toBeLessThanOrEqual(CARRIED_SIGNALS_BYTES);
    expect(small.waiting().length).toBeGreaterThan(2 * WAITING_SIGNALS);
  });
});

test('the bytes of what waits are those of its JSON, also of what the run before left', () => {
  const signal = { name: 'recalculate', payload: { userId: 'ä' } } as const;
  const waiting = newWaitingSignals([signal]);
  waiting.push(signal);
  expect(waiting.bytes()).toBe(2 * Buffer.byteLength(JSON.stringify(signal)));
  waiting.shift();
  expect(waiting.bytes()).toBe(Buffer.byteLength(JSON.stringify(signal)));
});

describe('a signal without room in the outbox', () => {
  const begun = nodeAfter([]);
  const full: Node = { ...begun, outbox: { ...begun.outbox, bytes: OUTBOX_BYTES } };

  test('waits for the next publication, and those after it behind it', () => {
    const { submit, queue, came, publish, node } = queueOf(full);
    for (const status of statuses(3)) submit(status);
    queue.applyTurn(START);
    expect([came, queue.needsRoom()]).toEqual([[], true]);
    publish();
    expect(queue.needsRoom()).toBe(false);
    queue.applyTurn(START);
    expect(came).toEqual([true, true, true]);
    expect(node().state.parts.external?.status).toBe(2);
  });

  test('is refused where publications do not end, until one does', () => {
    const { submit, queue, came, publish } = queueOf(full);
    submit(setExternalAlarm({ status: 1 }));
    queue.refuseUntilPublished();
    queue.applyTurn(START);
    submit(setExternalAlarm({ status: 2 }));
    expect([came, queue.needsRoom()]).toEqual([[false, false], false]);
    publish();
    submit(setExternalAlarm({ status: 3 }));
    expect(came).toEqual([false, false, true]);
  });
});
