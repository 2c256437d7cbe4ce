import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchEventLoop } from '../../../process/event-loop';
import { createMetrics } from '../../../process/metrics';

/** Keeps the event loop for so long (ms). */
const block = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('a second in which the event loop was late is counted by how late it was, for every reader', async () => {
  const registry = createMetrics({ process: 'test' });
  watchEventLoop(registry);
  const lateSeconds = async (): Promise<number> => {
    const text = await registry.getSingleMetricAsString('point_alarm_event_loop_delay_seconds');
    const valueOf = (of: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`point_alarm_event_loop_delay_seconds${of}`))
          ?.split(' ')[1],
      );
    return valueOf('_count') - valueOf('_bucket{le="0.25"');
  };
  const others = setInterval(() => undefined, 1); // timers that are due before the monitor's
  for (let blocked = 1; blocked <= 4; blocked += 1) {
    await sleep(50);
    block(1_100);
    await expect.poll(lateSeconds, { timeout: 5_000 }).toBeGreaterThanOrEqual(blocked);
  }
  clearInterval(others);
  const late = await lateSeconds();
  expect(await lateSeconds()).toBeGreaterThanOrEqual(late);
}, 30_000);
