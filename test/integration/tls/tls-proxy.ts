import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Pair } from '../../support/tls/certificates';

/** A door before Temporal's development server, which speaks no TLS itself. */
export interface TlsProxy {
  readonly address: string;
  /** Connections that were let in. */
  readonly passed: () => number;
  readonly close: () => Promise<void>;
}

/** Lets in whoever shows a certificate of `ca`, and passes on to `target` what they send. */
export const startTlsProxy = async (port: number, target: string, pair: Pair, ca: string): Promise<TlsProxy> => {
  const open = new Set<TLSSocket>();
  let passed = 0;
  const server = createServer(
    { ...pair, ca, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.2', ALPNProtocols: ['h2'] },
    (inner) => {
      passed += 1;
      open.add(inner);
      const outer = connect(Number(target.split(':')[1]), '127.0.0.1');
      for (const [socket, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        socket.on('error', () => undefined);
        socket.on('close', () => other.destroy());
        socket.pipe(other);
      }
    },
  );
  server.on('tlsClientError', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `localhost:${port}`,
    passed: () => passed,
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
};
