import { register, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { counter, createMetrics, gauge } from '../../../process/metrics';

test('each registry stands alone, has the defaults of the runtime and bears the name of its process', async () => {
  const [api, worker] = [createMetrics({ process: 'api' }), createMetrics({ process: 'worker' })];
  counter(api, 'point_alarm_redis_connections_total')(1);
  expect(await api.metrics()).toContain('point_alarm_redis_connections_total{process="api"} 1');
  expect(await worker.metrics()).toContain('nodejs_version_info{');
  expect(await worker.metrics()).toContain('process="worker"');
  expect((await worker.metrics()).match(/^nodejs_eventloop_lag\w+/gmu)).toEqual(['nodejs_eventloop_lag_seconds']);
  expect(await worker.metrics()).not.toContain('point_alarm_redis_connections_total');
  expect(await register.metrics()).toBe('\n');
});

test('a gauge shows what is read at each scrape, and nothing of the one before', async () => {
  const registry = new Registry();
  let lag: ReadonlyArray<readonly [number, { readonly stream: string }]> = [[3, { stream: 's' }]];
  gauge(registry, 'point_alarm_consumer_lag', () => Promise.resolve(lag));
  expect(await registry.metrics()).toContain('point_alarm_consumer_lag{stream="s"} 3');
  lag = [];
  expect(await registry.metrics()).not.toContain('stream="s"');
});
