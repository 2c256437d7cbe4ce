import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as E from 'fp-ts/Either';
import { Counter, type Registry } from 'prom-client';
import type { ApiSettings } from '../../process/settings';
import { oneAtATime, type Listener } from './admission/one-at-a-time';
import { answerMalformed } from './problems/client-error';
import type { ErrorTurn } from './admission/error-answers';

/** Interval (ms) of Node's check for requests that take too long. */
const CHECK_EVERY_MS = 1_000;

export interface ServerParts {
  readonly http: ApiSettings['http'];
  readonly listener: Listener;
  readonly errorTurn: ErrorTurn;
  /** Gets the status of every answer to bytes that never became a request. */
  readonly malformed: (status: number) => void;
}

export const createHttpServer = ({ http, listener, errorTurn, malformed }: ServerParts): Server => {
  const server = createServer({
    connectionsCheckingInterval: CHECK_EVERY_MS,
    headersTimeout: http.headersTimeoutMs,
    keepAliveTimeout: http.keepAliveTimeoutMs,
    maxHeaderSize: http.headerBytes,
    requestTimeout: http.requestTimeoutMs,
    requireHostHeader: false, // the pipeline checks it and answers with a problem
  });
  server.maxConnections = http.connections;
  server.maxHeadersCount = http.headers + 1; // Node drops the rest; one more lets the pipeline see that there were too many
  server.timeout = http.socketTimeoutMs;
  answerMalformed(server, errorTurn, malformed);
  server.on('request', oneAtATime(listener));
  return server;
};

/** Counts answers to bytes that never became a request. */
export const countMalformed = (registry: Registry): Counter<'status'> =>
  new Counter({
    name: 'point_alarm_malformed_requests_total',
    help: 'Answers to what never became a request (malformed HTTP, too slow, too large a head), by status.',
    labelNames: ['status'],
    registers: [registry],
  });

/** Listens. Left: why that failed, in one line; for instance, the port is taken. */
export const listen = (
  server: Server,
  { host, port }: Pick<ApiSettings['http'], 'host' | 'port'>,
): Promise<E.Either<string, AddressInfo>> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is taken' : error.message;
      resolve(E.left(`cannot listen on ${host}:${port}: ${why}`));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(
        typeof address === 'object' && address !== null ? E.right(address) : E.left(`cannot listen on ${host}:${port}`),
      );
    });
  });

/** Takes no new connections and lets the calls in flight end; after `graceMs` all connections are closed. */
export const closeServer = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
