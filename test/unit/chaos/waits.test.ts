import { expect, test } from 'vitest';
import type { Write } from '../../chaos/history';
import { waitsOf } from '../../chaos/rows';

const tried = (at: number, ms: number, status: number) => ({
  writeId: 'one',
  nodeId: 'node',
  at,
  base: 'http://here',
  called: { status, headers: {}, body: '', ms },
});

const write = (sentAt: number, answeredAt: number, answer: Write['answer']): Write => ({
  id: 'one',
  nodeId: 'node',
  asked: { kind: 'recalculate' },
  sentAt,
  answeredAt,
  answer,
});

test('silence ends with an acknowledged write, not with any answer', () => {
  const tries = [tried(0, 100, 204), tried(200, 50, 503), tried(1_000, 100, 204), tried(1_150, 50, 204)];
  expect(waitsOf({ tries, writes: [] }, { from: 0, to: 1_300 }).silence).toBe(1_000);
});

test('silence up to the end of the load counts', () => {
  expect(waitsOf({ tries: [tried(0, 10, 204)], writes: [] }, { from: 0, to: 5_000 }).silence).toBe(4_990);
});

test('the longest wait is that of an acknowledged write, from its first try', () => {
  const writes = [write(0, 300, 'acknowledged'), write(100, 9_100, 'acknowledged'), write(0, Infinity, 'unknown')];
  expect(waitsOf({ tries: [], writes }, { from: 0, to: 10_000 }).longest).toBe(9_000);
});

test('one slow call of a hundred is beyond p99', () => {
  const tries = Array.from({ length: 100 }, (_, at) => tried(at, at === 50 ? 7_000 : at, 204));
  expect(waitsOf({ tries, writes: [] }, { from: 0, to: 200 }).p99).toBe(99);
});
