import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { ADMIN } from '../../../support/api/callers';
import { createMemoryNodes } from '../../../support/api/memory-point-alarms';
import { apiOfTest } from '../../../support/api/start-api';
import { thresholdOfBytes } from '../../../support/measurements';

const BYTES = 127 * 1_024;
const ids = Array.from({ length: 1_000 }, () => randomUUID());

test('several answers of thresholds that are in memory never hold up the event loop for long', async () => {
  const shown = thresholdOfBytes(BYTES);
  const api = await apiOfTest({
    ports: {
      pointAlarms: {
        ...createMemoryNodes().port,
        threshold: (nodeId) => () =>
          Promise.resolve(E.right({ value: { revision: 1, threshold: { nodeId, ...shown } } })),
      },
      hierarchy: { kindOf: () => 'measurement_point' },
      authorizer: { violations: () => () => Promise.resolve(E.right([])) },
    },
    settings: { CALL_MEMORY_BYTES: 1_024 * 1_048_576, CALL_DEADLINE_MS: 10_000 },
  });
  const path = '/v1/point-alarm-threshold-batch';
  const body = Buffer.from(JSON.stringify({ nodeIDs: ids }));
  const head = { Authorization: await api.callers.token(ADMIN), 'Content-Type': 'application/json' };
  /** The bytes of an answer, which it does not keep: the client is in this process too. */
  const sizeOf = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { ...head, 'Content-Length': body.length };
      const sent = request({ port: api.port, method: 'POST', path, headers, agent: false }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => resolve(bytes));
        response.on('error', reject);
      });
      sent.on('error', reject).end(body);
    });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const sizes = await Promise.all([sizeOf(), sizeOf(), sizeOf()]);
  delay.disable();
  console.info(`${sizes.join()} bytes, the event loop late by at most ${Math.round(delay.max / 1e6)} ms`);
  for (const size of sizes) expect(size).toBeGreaterThan(ids.length * BYTES);
  expect(delay.max / 1e6).toBeLessThan(250);
});
