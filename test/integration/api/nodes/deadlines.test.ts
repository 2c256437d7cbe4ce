import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import * as E from 'fp-ts/Either';
import { expect, onTestFinished, test } from 'vitest';
import { askNode, views } from '../../../../api/nodes/temporal/reads';
import { connect } from '../../../../api/nodes/temporal/connection';
import { createSendGroup } from '../../../../api/nodes/temporal/send-group';
import { createLog } from '../../../../process/log';

test('requests to a Temporal that takes connections and never answers end at their deadline', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const log = createLog({ level: 'silent', process: 'test' });
  const { port } = server.address() as AddressInfo;
  const link = connect({ connection: { address: `127.0.0.1:${port}` }, namespace: 'default', log });
  onTestFinished(async () => {
    await link.close();
    server.close();
  });
  const sendGroup = createSendGroup({ ...link, taskQueue: 'none', searchAttributes: false, log });
  const [asked, sent] = await Promise.all([
    askNode({ ...link, log }, views.alarmStatus, randomUUID(), performance.now() + 500),
    sendGroup(randomUUID(), { commands: [] }, performance.now() + 500),
  ]);
  expect(asked).toEqual(E.left({ _tag: 'TimedOut' }));
  const unsent = { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: false };
  expect(sent.answer).toEqual(E.left(unsent));
}, 5_000);
