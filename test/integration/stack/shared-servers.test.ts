import { Client, Connection } from '@temporalio/client';
import { expect, inject, test } from 'vitest';

test('the shared Temporal answers, keeps closed runs for an hour and knows the search attribute', async () => {
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
