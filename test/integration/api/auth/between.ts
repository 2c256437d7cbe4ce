import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../../../../stack/free-ports';

/** What came by on the way to a server. */
export interface Passed {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** Which connection brought it. */
  readonly connection: number;
}

/** Stands between the API and a server, and notes what passes. */
export interface Between {
  readonly url: string;
  readonly passed: Passed[];
  readonly close: () => Promise<void>;
}

export const startBetween = async (target: string): Promise<Between> => {
  const passed: Passed[] = [];
  let connections = 0;
  const numbers = new WeakMap<object, number>();
  const server = createServer((incoming, response) => {
    void take(incoming).then(([one, bytes]) => {
      passed.push(one);
      forward(target, incoming, bytes, response);
    });
  });
  server.on('connection', (socket) => numbers.set(socket, (connections += 1)));
  const take = async (incoming: IncomingMessage): Promise<readonly [Passed, Buffer]> => {
    const bytes = await buffer(incoming);
    const body: unknown = JSON.parse(bytes.toString());
    const connection = numbers.get(incoming.socket) ?? 0;
    return [{ path: incoming.url ?? '', headers: incoming.headers, body, connection }, bytes];
  };
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const forward = (
  target: string,
  { url = '', headers }: IncomingMessage,
  bytes: Buffer,
  response: ServerResponse,
): void => {
  const sent = request(target + url, { method: 'POST', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  sent.end(bytes);
};
