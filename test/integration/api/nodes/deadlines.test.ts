import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { expect, onTestFinished, test, vi } from 'vitest';
import { queryNode, views } from '../../../../api/nodes/temporal/reads';
import { openTemporalConnection } from '../../../../api/nodes/temporal/connection';
import { createSendGroup } from '../../../../api/nodes/temporal/send-group';
import { createLog } from '../../../../process/log';

/** A Temporal that takes connections and never answers. */
const toSilence = async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const log = createLog({ level: 'silent', process: 'test' });
  const { port } = server.address() as AddressInfo;
  const link = openTemporalConnection({ connection: { address: `127.0.0.1:${port}` }, namespace: 'default', log });
  onTestFinished(async () => {
    await link.close();
    server.close();
  });
  return { ...link, log };
};

test('requests to a Temporal that takes connections and never answers end at their deadline', async () => {
  const link = await toSilence();
  const sendGroup = createSendGroup({ ...link, taskQueue: 'none', searchAttributes: false });
  const [asked, sent] = await Promise.all([
    queryNode(link, views.alarmStatus, randomUUID(), performance.now() + 500),
    sendGroup(randomUUID(), { commands: [] }, performance.now() + 500),
  ]);
  expect(asked).toEqual(E.left({ _tag: 'TimedOut' }));
  const unsent = { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: false };
  expect(sent.answer).toEqual(E.left(unsent));
}, 5_000);

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])(
  'so do they where the clock is set %s meanwhile, also those of a later attempt',
  async (_, step) => {
    const link = await toSilence();
    const began = performance.now();
    const asked = queryNode(link, views.alarmStatus, randomUUID(), began + 4_000);
    await sleep(1_000);
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + step);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await asked).toEqual(E.left({ _tag: 'TimedOut' }));
    expect(performance.now() - began).toBeGreaterThan(3_900);
    expect(performance.now() - began).toBeLessThan(6_000);
  },
  20_000,
);
