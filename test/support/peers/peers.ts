import type { Socket } from 'node:net';

/** Something that a call meets where it expects its target: the target itself, a proxy, a login page, a broken network. */
export interface Peer {
  readonly name: string;
  /** The status of its final answer; undefined where none comes whole within the caller's time limit. */
  readonly status?: number;
  readonly body: Body;
  /** Answers a request that came whole. */
  readonly answer: (socket: Socket) => void;
}

type Body = 'none' | 'page' | 'json' | 'problem';

const PAGE = '<!doctype html><title>Sign in</title><form method="post"></form>';
const bodies = {
  none: { type: undefined, text: () => '' },
  page: { type: 'text/html; charset=utf-8', text: () => PAGE },
  json: { type: 'application/json', text: () => '{"state":"done"}' },
  problem: {
    type: 'application/problem+json',
    text: (status: number) =>
      JSON.stringify({
        ...{ type: '/problems/of-a-later-release', title: 'The call is refused', status },
        ...{ detail: 'It is not valid.', instance: '/', requestId: 'x' },
      }),
  },
} as const satisfies Record<Body, { readonly type: string | undefined; readonly text: (status: number) => string }>;

/** The head and the body of an answer. Some statuses have no body, and the informational ones no end. */
const textOf = (status: number, body: Body, headers: ReadonlyArray<string>): readonly [head: string, body: string] => {
  const { type, text } = bodies[body];
  const sent = text(status);
  const isBodiless = status < 200 || status === 204 || status === 304;
  const lines = [
    `HTTP/1.1 ${status} Status`,
    ...(isBodiless ? [] : [`Content-Length: ${Buffer.byteLength(sent)}`]),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(status < 200 ? [] : ['Connection: close']),
    ...headers,
  ];
  return [`${lines.join('\r\n')}\r\n\r\n`, sent];
};

export const whole = (name: string, status: number, body: Body = 'none', ...headers: ReadonlyArray<string>): Peer => ({
  name,
  body,
  ...(status >= 200 && { status }),
  answer: (socket) => void socket.end(textOf(status, body, headers).join('')),
});

/** What never gives an answer that is whole. */
const broken = (name: string, answer: Peer['answer']): Peer => ({ name, body: 'none', answer });

/** Sends `text` byte by byte, so that its end comes long after every time limit. */
const drip = (socket: Socket, text: string): void => {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text[at % text.length] ?? '');
    at += 1;
  }, 200);
  socket.on('close', () => clearInterval(timer));
};

const flood = (socket: Socket, head: string, chunk: string): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk)) continue;
  };
  socket.on('drain', more);
  socket.write(head, more);
};

const ROOMY = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const SHORT_CHUNK = '400\r\n{"state":';
const LONG = ' '.repeat(0x1_00_00);

/** Statuses that a client may follow elsewhere, by changing the method or by sending the same again. */
const REDIRECTS = [301, 302, 303, 307, 308];
/** Where nobody may be asked: the same host, another one by http, another one by https. */
const PLACES = ['/elsewhere', 'http://localhost:1/elsewhere', 'https://localhost:1/elsewhere'];
/** Seconds that no caller has. */
export const TOO_LONG = '999999999';
const AFTER = ['1', 'Wed, 21 Oct 2099 07:28:00 GMT', TOO_LONG, '1e9', '-1', 'soon'];

/** Status lines: each one there is, without a body. */
const statuses: ReadonlyArray<Peer> = Array.from({ length: 500 }, (_, at) => whole(`${at + 100}`, at + 100));

const redirects: ReadonlyArray<Peer> = REDIRECTS.flatMap((status) =>
  PLACES.map((place) => whole(`${status} to ${place}`, status, 'page', `Location: ${place}`)),
);

const answers: ReadonlyArray<Peer> = [
  whole('200 with a page', 200, 'page'),
  whole('201 with a page', 201, 'page'),
  whole('200 with JSON', 200, 'json'),
  whole('201 with JSON', 201, 'json'),
  whole('202 with JSON', 202, 'json'),
  ...[400, 403, 404, 405, 413, 502, 503].map((status) => whole(`${status} with a page`, status, 'page')),
  ...[400, 408, 413, 422, 429, 503].map((status) => whole(`${status} with a problem`, status, 'problem')),
  ...[429, 503].flatMap((status) =>
    AFTER.map((after) => whole(`${status} Retry-After: ${after}`, status, 'none', `Retry-After: ${after}`)),
  ),
];

const breaks: ReadonlyArray<Peer> = [
  broken('no answer', () => undefined),
  broken('closes', (socket) => socket.end()),
  broken('resets before the answer', (socket) => socket.resetAndDestroy()),
  broken('resets after the head', (socket) => void socket.write(ROOMY, () => socket.resetAndDestroy())),
  broken('200 cut off', (socket) => void socket.end(`${ROOMY}{"state":`)),
  broken('200 cut off in a chunk', (socket) => void socket.end(`${CHUNKED}${SHORT_CHUNK}`)),
  broken('400 cut off', (socket) => void socket.end(`${ROOMY.replace('200 OK', '400 No')}{"type":`)),
  broken('400 reset', (socket) => void socket.write(ROOMY.replace('200 OK', '400 No'), () => socket.resetAndDestroy())),
  broken('no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2p1\r\n')),
  broken('a head without end', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', `X: ${LONG}\r\n`)),
  broken('a body without end', (socket) => flood(socket, CHUNKED, `${LONG.length.toString(16)}\r\n${LONG}\r\n`)),
  broken('a slow head', (socket) => drip(socket, `HTTP/1.1 200 OK\r\nX: ${LONG}`)),
  broken('a slow body', (socket) => {
    socket.write(ROOMY);
    drip(socket, ' ');
  }),
  {
    ...whole('204, then a reset', 204),
    answer: (socket) => {
      socket.write(textOf(204, 'none', []).join(''));
      setTimeout(() => socket.resetAndDestroy(), 200);
    },
  },
];

/**
 * The table of peers: what stands where an HTTP target should. Each program that sends something is tested with all of them
 * (`ways.ts` has what must become of its call).
 */
export const peers: ReadonlyArray<Peer> = [...statuses, ...redirects, ...answers, ...breaks];
