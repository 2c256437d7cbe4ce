import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, POINT, type Callers } from './callers';

/** How a client goes on after it sent its bytes; it never closes its side because the server did. */
export const endings = {
  'a reset': (socket: Socket) => void socket.resetAndDestroy(),
  'a half close': (socket: Socket) => void socket.end(),
  'a close': (socket: Socket) => void socket.destroy(),
  silence: () => undefined,
  'a drip': (socket: Socket) => {
    const timer = setInterval(() => socket.write('x'), 100);
    socket.once('close', () => clearInterval(timer));
  },
} as const;
export type Ending = keyof typeof endings;

/** Time (ms) between the bytes and the ending, in which the server reads them. */
const READ_MS = 50;

/** Sends each of `texts` on a connection of its own, and ends all in the same way. They are open until `close`, unless the server closes them. */
export const sendAll = async (port: number, texts: ReadonlyArray<string | Buffer>, ending: Ending) => {
  const opened = await Promise.all(
    texts.map(async (text) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined).resume();
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    }),
  );
  await sleep(READ_MS);
  for (const socket of opened) endings[ending](socket);
  return { close: () => void opened.forEach((socket) => socket.destroy()) };
};

const STATUS = `/v1/alarm-status/${POINT}`;

/** What reaches a port by mistake or on purpose, by name; requests without a token. */
export const strangeTexts: Readonly<Record<string, ReadonlyArray<string | Buffer>>> = {
  'every method': [...METHODS, 'FETCH', 'get'].map((method) => `${method} ${STATUS} HTTP/1.1\r\nHost: x\r\n\r\n`),
  'a tunnel': [
    'CONNECT a:1 HTTP/1.1\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nSSH-2.0-x\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
    'CONNECT a:1 HTTP/1.0\r\n\r\n',
    `GET ${STATUS} HTTP/1.1\r\nHost: x\r\n\r\nCONNECT a:1 HTTP/1.1\r\n\r\n`,
    `CONNECT a:1 HTTP/1.1\r\n\r\nGET ${STATUS} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  'another protocol': [
    ...['websocket', 'h2c', 'TLS/1.0', 'x'].map(
      (name) => `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${name}\r\n\r\n`,
    ),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'),
    Buffer.from('16030100f8010000f40303', 'hex'),
    Buffer.from('160301000501\r\n\r\n', 'latin1'),
    '*1\r\n$4\r\nPING\r\n',
    '',
  ],
  'what is answered before the pipeline': [
    `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n`,
    `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n`.repeat(50),
    `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    `GET ${STATUS} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50),
    `GET ${STATUS} HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
    `GET ${STATUS} HTTP/1.1\r\nHost: x\r\n\r\nhello\r\n\r\n`,
    'hello\r\n\r\nhello\r\n\r\n',
  ],
};

/** A write with a token, cut after each of its bytes. */
export const cutAtEachByte = async (callers: Callers): Promise<ReadonlyArray<string>> => {
  const fields = `Host: x\r\nAuthorization: ${await callers.token(ADMIN)}\r\nContent-Type: application/json`;
  const text = `PUT ${STATUS}/status/external HTTP/1.1\r\n${fields}\r\nContent-Length: 13\r\n\r\n{"status": 3}`;
  return Array.from(text, (_, at) => text.slice(0, at));
};
