import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { withCommandMetrics } from '../../../../api/nodes/nodes';
import { OWNER, POINT } from '../../../support/api/callers';
import { createMemoryNodes } from '../../../support/api/memory-point-alarms';
import { recordedLog } from '../../../support/recorded-log';

test('a command that met a defect is counted, and logged with its node and the cause', async () => {
  const { log, records } = recordedLog();
  const registry = new Registry();
  const refusal = { _tag: 'Defect', reason: 'TypeError: x is not a function' } as const;
  const { port } = createMemoryNodes();
  const nodes = withCommandMetrics({ ...port, send: () => () => Promise.resolve(E.left(refusal)) }, registry, log);
  const command = { name: 'recalculate', userId: OWNER } as const;
  expect(await nodes.send(POINT, command)()).toEqual(E.left(refusal));
  expect(await registry.metrics()).toContain(`{command="${command.name}",outcome="Defect"} 1`);
  expect(records).toMatchObject([{ level: 'error', nodeId: POINT, reason: refusal.reason, command: command.name }]);
});
