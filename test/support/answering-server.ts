import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../../dev/stack/free-ports';

/** A request that came, its body as JSON; undefined where it has none. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Which connection brought it. */
  readonly connection: number;
}

/** Text and bytes come with status 200, a value as JSON. */
export type Answer =
  ((request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown) | string | Buffer | object;

/** A server that answers as a test says, with ill will too, and keeps what it is asked. */
export interface AnsweringServer {
  readonly url: string;
  readonly asked: Asked[];
  /** How many connections it has now, and had at most. */
  readonly connections: () => { readonly open: number; readonly most: number; readonly ever: number };
  /** From now on it answers with this. */
  readonly answer: (how: Answer) => void;
  readonly close: () => Promise<void>;
}

export const startAnsweringServer = async (first: Answer): Promise<AnsweringServer> => {
  let how = first;
  let [open, most, ever] = [0, 0, 0];
  const asked: Asked[] = [];
  const numbers = new WeakMap<object, number>();
  const server = createServer((request, response) => {
    void buffer(request)
      .then(async (bytes) => {
        const { url: path = '', headers, socket } = request;
        const body: unknown = bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
        asked.push({ path, headers, body, connection: numbers.get(socket) ?? 0 });
        if (typeof how === 'function') await how(request, response, bytes);
        else response.end(typeof how === 'string' || Buffer.isBuffer(how) ? how : JSON.stringify(how));
      })
      .catch(() => response.destroy()); // the caller went away
  });
  server.on('connection', (socket) => {
    open += 1;
    numbers.set(socket, (ever += 1));
    most = Math.max(most, open);
    socket.on('close', () => (open -= 1));
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    connections: () => ({ open, most, ever }),
    answer: (next) => {
      how = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
