import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { Client, type Dispatcher, errors, interceptors, Pool } from 'undici';
import { reasonOf } from '../../process/reason-of';

/** Why a request to the PDP failed; the reason continues "it". */
export interface NoAnswer {
  readonly outcome: 'timeout' | 'failed' | 'status' | 'malformed';
  readonly reason: string;
}

/** Posts JSON below one URL, over keep-alive connections. */
export interface HttpClient {
  /** The bytes of a 200 answer; redirects are not followed. */
  readonly post: (path: string, body: object) => TE.TaskEither<NoAnswer, Uint8Array>;
  readonly close: () => void;
}

/** Connection cap; excess requests queue. */
const MOST_CONNECTIONS = 64;
const MOST_BYTES = 4_194_304;

/** An idle connection may end just as it is used again. A request to the PDP changes nothing, so it is repeated. */
const whereConnectionEnded = interceptors.retry({
  methods: ['POST'],
  errorCodes: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  statusCodes: [],
  maxRetries: 2,
  minTimeout: 1,
});

/** A request that timed out in the queue opens no connection. */
const unlessGivenUp: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { signal } = options as Dispatcher.DispatchOptions & Pick<Dispatcher.RequestOptions, 'signal'>;
  if (!(signal instanceof AbortSignal) || !signal.aborted) return dispatch(options, handler);
  handler.onResponseError?.(givenUp, new errors.RequestAbortedError());
  return true;
};

const givenUp: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** `token`: sent as a bearer token; `timeoutMs`: time limit of an exchange, including the wait for a connection. */
export const createHttpClient = (url: string, token: string | undefined, timeoutMs: number): HttpClient => {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, {
    connections: MOST_CONNECTIONS,
    factory: (to, options) => new Client(to, options).compose(unlessGivenUp),
    connect: { timeout: timeoutMs },
    maxResponseSize: MOST_BYTES,
  });
  const dispatcher = pool.compose(whereConnectionEnded);
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  return {
    post: (path, body) => () => {
      const signal = AbortSignal.timeout(timeoutMs);
      const noAnswer = (error: unknown): NoAnswer =>
        signal.aborted
          ? { outcome: 'timeout', reason: `did not answer within ${timeoutMs} ms` }
          : { outcome: 'failed', reason: `did not answer: ${reasonOf(error)}` };
      return pipe(
        TE.tryCatch(
          () =>
            dispatcher.request({
              method: 'POST',
              path: `${pathname.replace(/\/+$/u, '')}${path}${search}`,
              headers,
              body: JSON.stringify(body),
              signal,
            }),
          noAnswer,
        ),
        TE.filterOrElse(
          ({ statusCode }) => statusCode === 200,
          (answer): NoAnswer => {
            void answer.body.dump().catch(() => undefined); // keeps the connection alive
            return { outcome: 'status', reason: `answered ${answer.statusCode}` };
          },
        ),
        TE.chain((answer) => TE.tryCatch(() => answer.body.bytes(), noAnswer)),
      )();
    },
    close: () => void pool.destroy(),
  };
};
