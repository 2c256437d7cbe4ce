import { Counter, register } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../process/metrics';

test('each registry stands alone, has the defaults of the runtime and bears the name of its process', async () => {
  const [api, worker] = [createMetrics({ process: 'api' }), createMetrics({ process: 'worker' })];
  new Counter({ name: 'calls_total', help: 'Calls', registers: [api] }).inc();
  expect(await api.metrics()).toContain('calls_total{process="api"} 1');
  expect(await worker.metrics()).toContain('nodejs_version_info{');
  expect(await worker.metrics()).toContain('process="worker"');
  expect(await worker.metrics()).not.toContain('calls_total');
  expect(await register.metrics()).toBe('\n');
});
