import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP answer about a process, such as its health or metrics. */
export interface Page {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

interface Listening {
  /** The address to listen on; by default all addresses. */
  readonly host?: string;
  readonly port: number;
  /** How many ports are tried, from `port` up, until a free one is found. */
  readonly ports?: number;
}

/** The longest request and silence (ms), and the most connections. They are low, because only probes and Prometheus call. */
const LONGEST_MS = 5_000;
const MOST_CONNECTIONS = 1_000;

/** Answers a request with what `pageAt` returns for its path, or with 500 if that fails. Rejects if no port is free. */
export const servePages = async ({ host, port, ports = 1 }: Listening, pageAt: (path: string) => Promise<Page>) => {
  const limits = { headersTimeout: LONGEST_MS, requestTimeout: LONGEST_MS, connectionsCheckingInterval: 1_000 };
  const server = createServer(limits, (request, response) => {
    pageAt(request.url ?? '').then(
      ({ status, type, body }) =>
        response.writeHead(status, { ...(type !== undefined && { 'Content-Type': type }) }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.timeout = LONGEST_MS;
  server.maxConnections = MOST_CONNECTIONS;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  for (let tried = port; ; tried += 1) {
    try {
      server.listen(tried, host);
      await once(server, 'listening');
      return { port: (server.address() as AddressInfo).port, close };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried >= port + ports - 1) throw error;
    }
  }
};
