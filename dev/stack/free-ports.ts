import { createServer } from 'node:net';
import { reportedFault } from './report';

const NEXT_PORTS = 200;
/** The ports that this process has given out. They look free as long as no server listens on them. */
const given = new Set<number>();

/**
 * The wanted port, or the next free one after it; 0 means any free port. It never returns the same port twice.
 *
 * Errors: a `Fault` if it cannot listen on `host`, or if too many ports are taken.
 */
export const freePort = async (wanted = testPort(), host = '127.0.0.1'): Promise<number> => {
  for (let port = wanted; port <= Math.min(wanted + NEXT_PORTS, 65_535); port += 1) {
    const free = given.has(port) ? undefined : await tryPort(host, port);
    if (free === undefined || given.has(free)) continue;
    given.add(free);
    return free;
  }
  throw reportedFault(`no free port on ${host} from ${wanted} on`);
};

/** A port from which to look for a free one. In the ephemeral range above it, a client may take a killed server's port. */
export const testPort = (): number => 15_000 + Math.floor(Math.random() * 14_000);

const tryPort = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || (error.code === 'EACCES' && port < 1024)) resolve(undefined);
      else reject(reportedFault(`cannot listen on ${host}:${port}: ${error.message}`));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
