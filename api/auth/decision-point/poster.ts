import * as http from 'node:http';
import * as https from 'node:https';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { boundedBytes } from '../bounded-bytes';

/** Why a question has no answer; the reason continues "it". */
export interface NoAnswer {
  readonly outcome: 'timeout' | 'failed' | 'status' | 'malformed';
  readonly reason: string;
}

/** Posts JSON below one URL, over connections that are kept. */
export interface Poster {
  /** The bytes of an answer of status 200; a redirect is another status, and not followed. */
  readonly post: (path: string, body: object) => TE.TaskEither<NoAnswer, Uint8Array>;
  readonly close: () => void;
}

export interface PosterOptions {
  readonly url: string;
  /** Shown as a bearer token. */
  readonly token?: string;
  /** For a whole exchange, the wait for a connection included. */
  readonly timeoutMs: number;
}

/** What is asked beyond these at once waits for one of them, so that a server that hangs is not sent a connection a call. */
const MOST_CONNECTIONS = 64;
const IDLE_MS = 4_000;
const MOST_BYTES = 4_194_304;

export const createPoster = ({ url, token, timeoutMs }: PosterOptions): Poster => {
  const isTls = new URL(url).protocol === 'https:';
  const kept = { keepAlive: true, maxSockets: MOST_CONNECTIONS, timeout: IDLE_MS };
  const agent = isTls ? new https.Agent(kept) : new http.Agent(kept);
  const request: typeof http.request = isTls ? https.request : http.request;
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };

  const exchange = (path: string, bytes: Buffer, signal: AbortSignal): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const type = 'application/json';
      const headers = { 'Content-Type': type, 'Content-Length': bytes.length, Accept: type, ...authorization };
      const sent = request(below(url, path), { method: 'POST', agent, headers, signal }, resolve);
      sent.on('error', (error) => {
        // A kept connection that ends may just have been idle for too long. It is used up, so another try tells more.
        if (sent.reusedSocket && !signal.aborted) exchange(path, bytes, signal).then(resolve, reject);
        else reject(error);
      });
      sent.end(bytes);
    });

  return {
    post: (path, body) => () => {
      const signal = AbortSignal.timeout(timeoutMs);
      const noAnswer = (error: unknown): NoAnswer =>
        signal.aborted
          ? { outcome: 'timeout', reason: `did not answer within ${timeoutMs} ms` }
          : { outcome: 'failed', reason: `did not answer: ${reasonOf(error)}` };
      return pipe(
        TE.tryCatch(() => exchange(path, Buffer.from(JSON.stringify(body)), signal), noAnswer),
        TE.filterOrElse(
          ({ statusCode }) => statusCode === 200,
          (answer): NoAnswer => {
            answer.resume(); // its connection is kept
            return { outcome: 'status', reason: `answered ${answer.statusCode}` };
          },
        ),
        TE.chain((answer) => TE.tryCatch(() => boundedBytes(answer, MOST_BYTES), noAnswer)),
      )();
    },
    close: () => {
      agent.destroy();
    },
  };
};

const below = (base: string, path: string): URL => {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/u, '')}${path}`;
  return url;
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'for a reason unknown';
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
};
