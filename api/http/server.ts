import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressInfo, Socket } from 'node:net';
import * as E from 'fp-ts/Either';
import type { Registry } from 'prom-client';
import type { Log } from '../../process/log';
import { counter } from '../../process/metrics';
import { createTurns } from '../admission/turns';
import { newRequestId } from './answer';
import type { ErrorTurn } from './delay-errors';
import { catalogue } from '../contract/problems/catalogue';
import { type Problem, problem, PROBLEM_MEDIA_TYPE, problemBody } from '../contract/problems/problem';
import type { ApiSettings } from '../../process/settings';
import { markBodyBroken, incompleteBody, slowRequest } from './body';
import { currentResponse, beginRequestsInTurn, type Listener, type VerifiedUserOf } from './request-turns';

/** The answers to errors of Node's parser, by error code. Any other error is answered with 400. */
const answersTo: Readonly<Partial<Record<string, Problem>>> = {
  ERR_HTTP_REQUEST_TIMEOUT: slowRequest,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: problem('payload-too-large', 'The extensions of a chunk are too large.'),
  HPE_INVALID_EOF_STATE: incompleteBody,
  HPE_HEADER_OVERFLOW: problem('request-header-fields-too-large', 'The head of the request is too large.'),
};
const noHttp = problem('invalid-request', 'The request is not HTTP.');
const noProxy = problem('request-method-not-allowed', 'This is no proxy.', {}, { Allow: '' });

/** Time (ms) that a caller has to read the last answer before the connection is closed. */
const LINGER_MS = 2_000;

/** Sends the last bytes on a connection, and reads on: closing with unread bytes could cost the caller the answer. */
const endWith = (socket: Duplex, last = ''): void => {
  socket.resume();
  socket.end(last);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
};

/**
 * Answers bytes that never become a request: malformed HTTP (400), a head that takes too long (408) or is too large (431), and
 * a request for a tunnel (405). All answers but the one to a tunnel are delayed like errors of requests without a token. While
 * a call is in flight on the connection, only this call is answered, and then the connection ends.
 */
const answerMalformed = (server: Server, turn: ErrorTurn, registry: Registry, log: Log): void => {
  const malformed = counter(registry, 'point_alarm_malformed_requests_total');
  // one answer per turn of the event loop, since thousands of connections can time out at once
  const { runInTurn } = createTurns();
  const ending = new WeakSet<Duplex>();
  const answer = (socket: Duplex, refusal: Problem): void => {
    const { status } = catalogue[refusal.type];
    const requestId = newRequestId();
    const body = JSON.stringify(problemBody(refusal, '/', requestId));
    malformed(1, { status: String(status) });
    log.info({ status }, 'malformed');
    endWith(socket, rawAnswer(status, { ...refusal.headers, 'X-Request-Id': requestId }, body));
  };
  /** Whether a call is in flight on the connection. If so, the answer to that call ends the connection. */
  const endAfterCurrentCall = (socket: Duplex, refusal: Problem): boolean => {
    const current = currentResponse.get(socket);
    if (current === undefined || current.writableEnded) return false;
    if (!current.req.complete) markBodyBroken(current.req, refusal);
    if (current.headersSent) current.once('finish', () => endWith(socket));
    current.shouldKeepAlive = false;
    return true;
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refusal = answersTo[error.code ?? ''] ?? noHttp;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (!ending.has(socket)) {
      ending.add(socket); // further bytes are not HTTP either, and need no answer
      if (endAfterCurrentCall(socket, refusal)) return;
      socket.pause(); // reads nothing more until the refusal is sent
      void turn(catalogue[refusal.type].status, 1).then(() => runInTurn('', () => answer(socket, refusal)));
    }
  });
  server.on('connect', (_, socket) => {
    // The answer in flight may wait for `drain`, and Node has removed its own listener for that event from the socket.
    if (endAfterCurrentCall(socket, noProxy)) socket.on('drain', () => currentResponse.get(socket)?.emit('drain'));
    else answer(socket, noProxy);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
};

const rawAnswer = (status: number, headers: Readonly<Record<string, string>>, body: string): string => {
  const head = {
    Connection: 'close',
    'Cache-Control': 'no-store',
    'Content-Length': String(Buffer.byteLength(body)),
    'Content-Type': PROBLEM_MEDIA_TYPE,
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
};

/** Interval (ms) of Node's check for requests that take too long. */
const CHECK_EVERY_MS = 1_000;

/** Most connections that wait to be accepted. A caller's system that finds no place tries again after a second. */
const BACKLOG = 4_096;

export type HttpServer = ReturnType<typeof createHttpServer>;

export interface HttpServerParts {
  readonly settings: ApiSettings;
  readonly listener: Listener;
  readonly openRoutes: ReadonlyArray<{ readonly path: string }>;
  readonly userOf: VerifiedUserOf;
  readonly errorTurn: ErrorTurn;
  readonly registry: Registry;
  readonly log: Log;
}

export const createHttpServer = (parts: HttpServerParts) => {
  const { settings, listener, openRoutes, userOf, errorTurn, registry, log } = parts;
  const pages = new Set(openRoutes.map(({ path }) => path));
  const server = createServer({
    connectionsCheckingInterval: CHECK_EVERY_MS,
    headersTimeout: settings.HEADERS_TIMEOUT_MS,
    keepAliveTimeout: settings.KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: settings.MAX_HEADER_BYTES,
    requestTimeout: settings.REQUEST_TIMEOUT_MS,
    requireHostHeader: false, // `malformedHead` checks the header and answers with a problem
  });
  server.maxConnections = settings.MAX_CONNECTIONS;
  server.maxHeadersCount = settings.MAX_HEADERS + 1; // Node drops any beyond these, and `malformedHead` refuses the one more
  server.timeout = settings.SOCKET_TIMEOUT_MS;
  const sockets = new Set<Socket>();
  // Node removes its own listeners from a tunnel's socket and stops counting the connection, so all sockets are kept here.
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined); // `close` follows each error
    socket.on('timeout', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  answerMalformed(server, errorTurn, registry, log);
  beginRequestsInTurn(server, listener, pages, userOf);
  return {
    /** Begins to listen. Left: one line, why that failed, such as a port that is taken. */
    listen: ({ HOST: host, PORT: port }: Pick<ApiSettings, 'HOST' | 'PORT'>): Promise<E.Either<string, AddressInfo>> =>
      new Promise((resolve) => {
        server.once('error', (error: NodeJS.ErrnoException) => {
          const why = error.code === 'EADDRINUSE' ? 'the port is taken' : error.message;
          resolve(E.left(`cannot listen on ${host}:${port}: ${why}`));
        });
        server.listen({ port, host, backlog: BACKLOG }, () => {
          resolve(E.right(server.address() as AddressInfo)); // a server on a port has an object as its address
        });
      }),
    /** Accepts no new connections and lets the calls in flight end. After `graceMs` all connections are closed. */
    close: (graceMs: number): Promise<void> =>
      new Promise((resolve) => {
        const cut = setTimeout(() => sockets.forEach((socket) => socket.destroy()), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
};
