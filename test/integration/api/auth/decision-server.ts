import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../../../../stack/free-ports';

/** A decision point of ill will: it answers as the test says, and counts. */
export interface DecisionServer {
  readonly url: string;
  /** The bodies that it was sent. */
  readonly asked: unknown[];
  readonly paths: string[];
  /** How many connections it has now, and had at most. */
  readonly connections: () => { readonly open: number; readonly most: number; readonly ever: number };
  /** From now on it answers with this; text and bytes come with status 200, a value as JSON. */
  readonly answer: (how: Answer) => void;
  readonly close: () => Promise<void>;
}

export type Answer = RequestListener | string | Buffer | object;

export const startDecisionServer = async (): Promise<DecisionServer> => {
  let how: Answer = { decision: true };
  let [open, most, ever] = [0, 0, 0];
  const [asked, paths]: [unknown[], string[]] = [[], []];
  const server = createServer((request, response) => {
    void buffer(request)
      .then((bytes) => {
        asked.push(JSON.parse(bytes.toString()));
        paths.push(request.url ?? '');
        if (typeof how === 'function') (how as RequestListener)(request, response);
        else response.end(typeof how === 'string' || Buffer.isBuffer(how) ? how : JSON.stringify(how));
      })
      .catch(() => undefined); // the caller went away
  });
  server.on('connection', (socket) => {
    open += 1;
    ever += 1;
    most = Math.max(most, open);
    socket.on('close', () => (open -= 1));
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    paths,
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
