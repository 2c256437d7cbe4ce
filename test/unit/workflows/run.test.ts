import { beforeEach, expect, test, vi } from 'vitest';
import { createSharedDecision } from '../../../workflows/run';
import { newNode } from '../../../workflows/domain/node/state';
import { nodeId } from '../../support/scenario';

const first = newNode(nodeId);
const payload = { commands: [] };
let node = first;
let decisions = 0;
const decided = () =>
  createSharedDecision(
    () => node,
    () => (decisions += 1),
  );

beforeEach(() => {
  vi.useFakeTimers();
  node = first;
  decisions = 0;
  return () => vi.useRealTimers();
});

test('the handler gets what the validator was told', () => {
  const update = decided();
  expect([update.validate(payload), update.decisionFor(payload)]).toEqual([1, 1]);
});

test('the next update is decided anew, though its payload is the same', () => {
  const update = decided();
  update.validate(payload);
  update.decisionFor(payload);
  expect(update.decisionFor(payload)).toBe(2);
});

test.each([
  ['another command came between', () => (node = newNode(nodeId))],
  ['the time went on', () => vi.advanceTimersByTime(1)],
])('it is decided anew where %s', (_, happens) => {
  const update = decided();
  update.validate(payload);
  happens();
  expect(update.decisionFor(payload)).toBe(2);
});

test('another payload is decided for itself', () => {
  const update = decided();
  update.validate(payload);
  expect(update.decisionFor({ commands: [] })).toBe(2);
});
