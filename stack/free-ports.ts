import { createServer } from 'node:net';
import { fault } from './report';

const NEXT_PORTS = 200;
/** The ports that this process gave, though perhaps nobody listens on them yet. */
const given = new Set<number>();

/**
 * The wanted port, or the next free one after it; 0 wants any. No port is given twice.
 *
 * Errors: a fault when `host` cannot be listened on, or too many ports are taken.
 */
export const freePort = async (wanted = testPort(), host = '127.0.0.1'): Promise<number> => {
  for (let port = wanted; port <= Math.min(wanted + NEXT_PORTS, 65_535); port += 1) {
    const free = given.has(port) ? undefined : await tryPort(host, port);
    if (free === undefined || given.has(free)) continue;
    given.add(free);
    return free;
  }
  throw fault(`no free port on ${host} from ${wanted} on`);
};

/** A port to begin looking for a free one: outside the ephemeral range, where a client may take a killed server's port. */
export const testPort = (): number => 15_000 + Math.floor(Math.random() * 14_000);

const tryPort = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || (error.code === 'EACCES' && port < 1024)) resolve(undefined);
      else reject(fault(`cannot listen on ${host}:${port}: ${error.message}`));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
