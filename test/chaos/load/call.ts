import { Agent, request } from 'node:http';
import type { Answer } from '../history';

/** A request as it is sent. */
export interface Call {
  readonly method: 'PUT' | 'PATCH' | 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back: a status, or 0 and why there was none. */
export interface Called {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>;
  readonly body: string;
  readonly ms: number;
  readonly fault?: string;
}

/** Calls one address over connections that are kept. It never rejects. */
export interface Caller {
  readonly call: (base: string, call: Call) => Promise<Called>;
  readonly close: () => void;
}

/** Longer than the deadline of a call in the API. */
const PATIENCE_MS = 20_000;

export const createCaller = (): Caller => {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  return {
    call: (base, { method, path, headers, body }) =>
      new Promise((resolve) => {
        const began = performance.now();
        const answered = (answer: Omit<Called, 'ms'>): void => {
          resolve({ ...answer, ms: performance.now() - began });
        };
        const failed = (error: NodeJS.ErrnoException): void => {
          answered({ status: 0, headers: {}, body: '', fault: error.code ?? error.message });
        };
        const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
        const options = { method, agent, headers: { ...headers, ...length }, timeout: PATIENCE_MS };
        const sent = request(`${base}${path}`, options, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', failed);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            answered({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          });
        });
        sent.on('error', failed);
        sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
        sent.end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
};

/** What a caller may conclude about a write from what came back. */
export const answerOf = ({ status, body, fault }: Called): Answer => {
  if (status >= 200 && status < 300) return 'acknowledged';
  if (status >= 400 && status < 500) return 'refused';
  if (fault === 'ECONNREFUSED') return 'refused';
  return status >= 500 && body.includes('"mayHaveChanged":false') ? 'refused' : 'unknown';
};
