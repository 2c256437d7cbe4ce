import { expect, test, vi } from 'vitest';
import { backoffMs } from '../../../process/backoff';
import { reasonOf } from '../../../process/reason-of';

const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
const notSent = new Error('not sent', { cause: refused });

test.each<[name: string, error: unknown, reason: string]>([
  ['what an error says', new Error('no'), 'no'],
  ['its code where it says nothing', refused, 'ECONNREFUSED'],
  ['its name where it has neither', new TypeError(''), 'TypeError'],
  ['its causes too', new Error('not asked', { cause: notSent }), 'not asked: not sent: ECONNREFUSED'],
  ['only the cause of a fetch', new TypeError('fetch failed', { cause: refused }), 'ECONNREFUSED'],
  ['each of several', new AggregateError([new Error('no'), refused]), 'no; ECONNREFUSED'],
  ['what is no error', 'gone', 'gone'],
])('the reason is %s', (_name, error, reason) => expect(reasonOf(error)).toBe(reason));

test('pauses grow from the first to the longest, jittered to between half and all of them', () => {
  const pauses = { firstMs: 50, longestMs: 300 };
  const random = vi.spyOn(Math, 'random').mockReturnValue(1);
  expect([0, 1, 2, 3, 1_000].map((tries) => backoffMs(pauses, tries))).toEqual([50, 100, 200, 300, 300]);
  expect(backoffMs({ ...pauses, factor: 3 }, 1)).toBe(150);
  random.mockReturnValue(0);
  expect(backoffMs(pauses, 1)).toBe(50);
  random.mockRestore();
});
