import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import * as E from 'fp-ts/Either';
import type { ApiSettings } from '../process/settings';
import { answerMalformed } from './problems/client-error';

/** How often Node looks for requests that take too long. */
const CHECK_EVERY_MS = 1_000;

export interface ServerParts {
  readonly http: ApiSettings['http'];
  readonly listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Is told the status of every answer to something that never became a request. */
  readonly malformed: (status: number) => void;
}

/**
 * A server that takes no more of a connection than up to the request with which it ends: Node would carry out what follows
 * too, and answer nothing (RFC 9112, section 9.6).
 */
export const createHttpServer = ({ http, listener, malformed }: ServerParts): Server => {
  const server = createServer({
    connectionsCheckingInterval: CHECK_EVERY_MS,
    headersTimeout: http.headersTimeoutMs,
    keepAliveTimeout: http.keepAliveTimeoutMs,
    maxHeaderSize: http.headerBytes,
    requestTimeout: http.requestTimeoutMs,
    requireHostHeader: false, // asked for in the pipeline, which answers with a problem
  });
  server.maxConnections = http.connections;
  server.maxHeadersCount = http.headers + 1; // Node drops what is more; the pipeline refuses it, and has to see one
  server.timeout = http.socketTimeoutMs;
  answerMalformed(server, malformed);
  const newest = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request, response) => {
    if (newest.get(request.socket)?.shouldKeepAlive === false) return;
    newest.set(request.socket, response);
    void listener(request, response);
  });
  return server;
};

/** Listens, or says in one line why that is not possible: the port is taken, for instance. */
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

/** Takes no new connections and lets the calls under way end; what is left after `graceMs` is cut off. */
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
