import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import * as E from 'fp-ts/Either';
import type { Registry } from 'prom-client';
import { reasonOf } from '../../process/reason-of';
import { unusable, type CommandFailure } from '../command-failure';

/** Serves `/metrics`, the registry as Prometheus text, and `/healthz` on `port` of all addresses. */
export const serveMetrics = async (port: number, registry: Registry): Promise<E.Either<CommandFailure, Server>> => {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') {
      response.writeHead(200).end('alive');
      return;
    }
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  try {
    server.listen(port);
    await once(server, 'listening');
    return E.right(server);
  } catch (thrown) {
    return E.left(unusable(`--metrics-port ${port}: ${reasonOf(thrown)}`));
  }
};
