import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { histogram } from './metrics';

/** Time (ms) between two looks of the monitor; it counts as part of each delay. */
const RESOLUTION_MS = 20;
const EVERY_MS = 1_000;

/**
 * Exposes by how much the event loop of this process was late, at most, in each second. Unlike the runtime's own gauge, which begins
 * anew at each scrape, any number of readers may count it.
 */
export const watchEventLoop = (registry: Registry): void => {
  const observe = histogram(registry, 'point_alarm_event_loop_delay_seconds');
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  const look = (): void => {
    observe(Math.max(0, monitor.max / 1e6 - RESOLUTION_MS) / 1_000);
    monitor.reset();
  };
  // After all timers of the turn: where the loop was late, this one may come before the monitor's own, which a reset discards.
  setInterval(() => setImmediate(look), EVERY_MS).unref();
};
