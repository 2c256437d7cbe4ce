import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressInfo } from 'node:net';
import * as E from 'fp-ts/Either';
import type { Registry } from 'prom-client';
import type { Log } from '../../process/log';
import { counter } from '../../process/metrics';
import { createTurns } from '../admission/turns';
import { newRequestId } from './answer';
import type { ErrorTurn } from './delay-errors';
import { catalogue, type ProblemType } from './problems/catalogue';
import { problem, PROBLEM_MEDIA_TYPE, problemBody } from './problems/problem';
import type { ApiSettings } from '../../process/settings';
import { answering, passInTurn, type Listener } from './in-turn';

/** The answers to errors of Node's parser; 400 to any other. */
const answersTo: Readonly<Partial<Record<string, readonly [type: ProblemType, detail: string]>>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not arrive in time.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload-too-large', 'The extensions of a chunk are too large.'],
  HPE_HEADER_OVERFLOW: ['request-header-fields-too-large', 'The head of the request is too large.'],
};

/**
 * Answers bytes that never become a request: malformed HTTP (400), a request that takes too long (408), a head that is too
 * large (431), an unsupported expectation (417), a tunnel (405). They take turns with errors of requests without a token.
 */
const answerMalformed = (server: Server, turn: ErrorTurn, registry: Registry, log: Log): void => {
  const malformed = counter(registry, 'point_alarm_malformed_requests_total');
  const { inTurn } = createTurns(); // thousands of connections can time out at once
  const ending = new WeakSet<Duplex>();
  const answerOf = (type: ProblemType, detail: string, headers = {}) => {
    const { status } = catalogue[type];
    const requestId = newRequestId();
    const body = JSON.stringify(problemBody(problem(type, detail), '/', requestId));
    const head: Readonly<Record<string, string>> = {
      Connection: 'close',
      'Cache-Control': 'no-store',
      'Content-Length': String(Buffer.byteLength(body)),
      'Content-Type': PROBLEM_MEDIA_TYPE,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...headers,
    };
    malformed(1, { status: String(status) });
    log.info({ status }, 'malformed');
    return [status, head, body] as const;
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const current = answering.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (ending.has(socket)) {
      return; // bytes after malformed ones are not HTTP either
    } else if (current?.req.complete === true && !current.writableEnded) {
      ending.add(socket);
      current.once('finish', () => socket.end()); // only the answer to the request before the malformed bytes is still sent
    } else if (current?.writableEnded === false && current.headersSent) {
      socket.destroy();
    } else {
      ending.add(socket);
      const [type, detail] = answersTo[error.code ?? ''] ?? ['invalid-request', 'The request is not HTTP.'];
      const answer = (): void => {
        socket.resume();
        socket.end(rawAnswer(...answerOf(type, detail)));
      };
      socket.pause(); // reads nothing more meanwhile
      void turn(catalogue[type].status, 1).then(() => inTurn('', answer));
    }
  });
  server.on('connect', (_, socket) => {
    socket.end(rawAnswer(...answerOf('request-method-not-allowed', 'This is no proxy.', { Allow: '' })));
  });
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    const [status, head, body] = answerOf('expectation-failed', 'Only 100-continue can be expected.');
    response.writeHead(status, head).end(body);
  });
};

const rawAnswer = (status: number, head: Readonly<Record<string, string>>, body: string): string => {
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
};

/** Interval (ms) of Node's check for requests that take too long. */
const CHECK_EVERY_MS = 1_000;

/** Connections that may wait to be taken; one that finds no place is tried again by its client's system after a second. */
const BACKLOG = 4_096;

export const createHttpServer = (
  settings: ApiSettings,
  listener: Listener,
  errorTurn: ErrorTurn,
  registry: Registry,
  log: Log,
): Server => {
  const server = createServer({
    connectionsCheckingInterval: CHECK_EVERY_MS,
    headersTimeout: settings.HEADERS_TIMEOUT_MS,
    keepAliveTimeout: settings.KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: settings.MAX_HEADER_BYTES,
    requestTimeout: settings.REQUEST_TIMEOUT_MS,
    requireHostHeader: false, // the pipeline checks it and answers with a problem
  });
  server.maxConnections = settings.MAX_CONNECTIONS;
  server.maxHeadersCount = settings.MAX_HEADERS + 1; // Node drops the rest; one more lets the pipeline see that there were too many
  server.timeout = settings.SOCKET_TIMEOUT_MS;
  answerMalformed(server, errorTurn, registry, log);
  passInTurn(server, listener);
  return server;
};

/** Listens. Left: why that failed, in one line; for instance, the port is taken. */
export const listen = (
  server: Server,
  { HOST: host, PORT: port }: Pick<ApiSettings, 'HOST' | 'PORT'>,
): Promise<E.Either<string, AddressInfo>> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is taken' : error.message;
      resolve(E.left(`cannot listen on ${host}:${port}: ${why}`));
    });
    server.listen({ port, host, backlog: BACKLOG }, () => {
      resolve(E.right(server.address() as AddressInfo)); // of a port it is an object
    });
  });

/** Takes no new connections and lets the calls in flight end; after `graceMs` all connections are closed. */
export const closeServer = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
