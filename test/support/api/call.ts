import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { Api } from './start-api';
import { ADMIN } from './callers';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; undefined where there is none. */
  readonly json: unknown;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** JSON, or the bytes themselves. */
  readonly body?: unknown;
  /** Who calls; null is nobody. */
  readonly user?: string | null;
}

/** Calls the API as a client does, with a token; a body without a content type gets the one of JSON. */
export const call = async (
  api: Pick<Api, 'port' | 'callers'>,
  { method, path, headers = {}, body, user = ADMIN }: Call,
): Promise<Reply> => {
  const token = user === null ? {} : { Authorization: `Bearer ${await api.callers.token(user)}` };
  const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const type = bytes === undefined ? {} : { 'Content-Type': method === 'PATCH' ? JSON_PATCH : 'application/json' };
  const length = bytes === undefined || 'Transfer-Encoding' in headers ? {} : { 'Content-Length': bytes.length };
  return exchange(api, method, path, { ...type, ...length, ...token, ...headers }, bytes);
};

const JSON_PATCH = 'application/json-patch+json';

/** One exchange over a connection of its own. */
export const exchange = (
  { port }: Pick<Api, 'port'>,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
  bytes?: Buffer,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: jsonOf(text) });
      });
    });
    sent.on('error', reject);
    sent.end(bytes);
  });

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
