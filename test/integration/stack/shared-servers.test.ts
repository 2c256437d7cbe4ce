import { Client, Connection } from '@temporalio/client';
import { createClient } from 'redis';
import { expect, inject, test } from 'vitest';

test('the shared Temporal answers, takes eager activities and knows the search attribute', async () => {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys(customAttributes)).toContain('PointAlarmStatus');
    const { config } = await new Client({ connection }).workflowService.describeNamespace({ namespace: 'default' });
    expect(config?.workflowExecutionRetentionTtl?.seconds?.toString()).toBe('3600');
  } finally {
    await connection.close();
  }
});

test('the shared Redis keeps nothing on disk', async () => {
  const redis = createClient({ url: inject('redisUrl') });
  await redis.connect();
  try {
    expect(await redis.configGet(['appendonly', 'save'])).toEqual({ appendonly: 'no', save: '' });
  } finally {
    redis.destroy();
  }
});
