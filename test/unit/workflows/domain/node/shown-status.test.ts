import { expect, test } from 'vitest';
import { showing } from '../../../../../workflows/domain/node/views';

const NOW = 1_700_000_000_000;

test.each([
  ['the first change of a node that begins', { status: 0, at: 0 }, 4, 'isDue'],
  ['a change when the last one is long ago', { status: 2, at: NOW - 60_000 }, 4, 'isDue'],
  ['a change two seconds after the last one', { status: 2, at: NOW - 2_000 }, 4, 'isDue'],
  ['a change sooner than that', { status: 2, at: NOW - 1_999 }, 4, 'waits'],
  ['a change when the clock went back', { status: 2, at: NOW + 5_000 }, 4, 'waits'],
  ['the first one of a node that began without', { status: undefined, at: 0 }, 0, 'isDue'],
  ['no change', { status: 4, at: NOW - 60_000 }, 4, 'isShown'],
  ['a change back before the other was shown', { status: 4, at: NOW - 10 }, 4, 'isShown'],
] as const)('%s', (_, shown, status, wished) => {
  expect(showing(shown, status, NOW)).toBe(wished);
});
