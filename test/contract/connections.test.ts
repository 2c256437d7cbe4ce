import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createHttpServer } from '../../api/http/server';
import { createLog } from '../../process/log';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { settingsWith } from '../support/api/settings';
import { startApi } from '../support/api/start-api';
import { rightOf } from '../support/either';
import { forFile } from '../support/for-file';

const api = forFile(startApi, ({ close }) => close());

/** As many connections as the system keeps for a process that has not taken them yet, at most 4,096. */
const kept = (): number => {
  try {
    return Math.min(4_096, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')));
  } catch {
    return 128;
  }
};

test('a crowd of connections finds place at once: else their systems would try again a second later', async () => {
  const crowd = Array.from({ length: Math.min(700, kept() - 28) }, () => connect(api.port, '127.0.0.1'));
  const connected = Promise.all(crowd.map((socket) => once(socket, 'connect'))).then(() => 'connected');
  expect(await Promise.race([connected, sleep(900, 'some have to try again')])).toBe('connected');
  for (const socket of crowd) socket.destroy();
});

test('a CONNECT behind an answer that waits for its reader leaves that answer whole', async () => {
  const bytes = 32 << 20;
  const server = createHttpServer({
    ...{ settings: settingsWith({}), openRoutes: [], userOf: () => undefined, errorTurn: () => Promise.resolve() },
    ...{ registry: new Registry(), log: createLog({ level: 'silent', process: 'api' }) },
    listener: (_, response) => {
      response.setHeader('Content-Length', bytes);
      Readable.from(Array.from({ length: 512 }, () => Buffer.alloc(bytes / 512))).pipe(response);
      return Promise.resolve();
    },
  });
  const { port } = rightOf(await server.listen({ HOST: '127.0.0.1', PORT: 0 }));
  const socket = connect(port, '127.0.0.1');
  let received = 0;
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await sleep(300); // the answer fills all buffers
  socket.write('CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n');
  await sleep(300);
  socket.on('data', ({ length }) => (received += length));
  await once(socket, 'close');
  expect(received).toBeGreaterThan(bytes);
  await server.close(0);
}, 20_000);

test('who sends one request does not wait behind the many that another one sent before', async () => {
  const connected = async (): Promise<Socket> => {
    const socket = connect(api.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: 301 }, connected));
  const [many, one] = [await api.callers.token(ADMIN), await api.callers.token(OWNER)];
  const ask = async (socket: Socket, token: string): Promise<unknown> => {
    const head = `Host: localhost\r\nAuthorization: Bearer ${token}`;
    socket.write(`GET /v1/alarm-status/${POINT} HTTP/1.1\r\n${head}\r\n\r\n`);
    return once(socket, 'data');
  };
  await Promise.all(sockets.slice(-2).map((socket, index) => ask(socket, index === 0 ? many : one))); // their keys are known
  let answered = 0;
  const crowd = sockets.slice(0, -1).map((socket) => ask(socket, many).then(() => (answered += 1)));
  await Promise.all(sockets.slice(-1).map((socket) => ask(socket, one)));
  expect(answered).toBeLessThan(200);
  await Promise.all(crowd);
  for (const socket of sockets) socket.destroy();
});
