import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { histogram } from './metrics';

/** Sampling interval (ms) of the monitor, which adds it to each delay. A shorter interval wakes an idle process more often. */
const RESOLUTION_MS = 50;
const EVERY_MS = 1_000;

/**
 * Exposes the longest delay of this process's event loop in each second. prom-client's own gauge begins anew at each scrape, so
 * it serves one reader only; this histogram serves any number.
 */
export const watchEventLoop = (registry: Registry): void => {
  const observe = histogram(registry, 'point_alarm_event_loop_delay_seconds');
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  const observeDelay = (): void => {
    observe(Math.max(0, monitor.max / 1e6 - RESOLUTION_MS) / 1_000);
    monitor.reset();
  };
  // After a delay, this timer may run before the monitor's own timer, in this turn of the loop or the next. A reset between the
  // two would lose the delay. So `observeDelay` waits until the next turn has run its timers.
  setInterval(() => setImmediate(() => setImmediate(observeDelay)), EVERY_MS).unref();
};
