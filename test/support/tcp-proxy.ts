import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** An address that leads to a server on this machine, which a test may cut. */
export interface TcpProxy {
  /** Ends all connections on the way, and those to come, or lets them through again. */
  readonly cut: (isCut: boolean) => void;
  /** Has the connections of now carry nothing any more; they stay open. Later ones are not affected. */
  readonly silence: () => void;
  readonly connections: () => number;
  readonly close: () => void;
}

/** `tls`: who comes must speak it, and is counted once let in. */
export const openTcpProxy = async (proxyPort: number, port: number, tls?: TlsOptions): Promise<TcpProxy> => {
  let isCut = false;
  let connections = 0;
  const open = new Set<Socket>();
  const forward = (inner: Socket): void => {
    connections += 1;
    if (isCut) {
      inner.destroy();
      return;
    }
    const outer = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  };
  const way = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  way.on('tlsClientError', () => undefined);
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  way.listen(proxyPort, '127.0.0.1');
  await once(way, 'listening');
  return {
    cut: (cut) => {
      isCut = cut;
      if (cut) endAll();
    },
    silence: () => {
      for (const socket of open) socket.unpipe().resume(); // what still comes is swallowed
    },
    connections: () => connections,
    close: () => {
      way.close();
      endAll();
    },
  };
};
