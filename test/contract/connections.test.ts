import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ADMIN, OWNER, POINT } from '../support/api/callers';
import { startApi } from '../support/api/start-api';
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
