import { expect, test } from 'vitest';
import { isShort, settingOf } from './setting';

const setting = settingOf({ READS: 'cache' });

test('reads from the cache are answered while writes come at four times the peak, and nothing is lost', async () => {
  const nodes = await setting.nodes(isShort ? 100 : 300);
  const peak = await setting.peakOf(nodes);
  const figures = await setting.measured('READS=cache, 4 P', { perSecond: 4 * peak, nodes }, peak);
  expect(figures.gaveUp).toBe(0);
  expect(figures.retryAfterShare).toBeGreaterThanOrEqual(0.99);
  expect(figures.readShare).toBeGreaterThanOrEqual(0.95);
  expect(await setting.calmAfter(0.3 * peak, nodes)).toBeLessThanOrEqual(10);
  expect((await setting.broken()).map(({ promise, call }) => `${promise}: ${call.id}`)).toEqual([]);
});
