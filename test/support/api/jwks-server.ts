import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { freePort } from '../../../stack/free-ports';

/** A server of key sets that counts what it is asked. */
export interface JwksServer {
  readonly url: string;
  readonly asked: () => number;
  /** From now on it answers with this; a value is sent as JSON. */
  readonly answer: (how: RequestListener | object) => void;
  readonly close: () => Promise<void>;
}

export const startJwksServer = async (first: RequestListener | object): Promise<JwksServer> => {
  let how = first;
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (typeof how === 'function') (how as RequestListener)(request, response);
    else response.end(JSON.stringify(how));
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/jwks`,
    asked: () => asked,
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
