import { Agent, request } from 'undici';
import type { Answer } from '../history';

export interface Call {
  readonly method: 'PUT' | 'PATCH' | 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back: a status, or 0 and why there was none. */
export interface CallResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>;
  readonly body: string;
  readonly ms: number;
  readonly fault?: string;
}

/** Calls one address over connections that are kept. It never rejects. */
export type Caller = { readonly call: (base: string, call: Call) => Promise<CallResult>; readonly close: () => void };

/** Longer than the deadline of a call in the API. */
const PATIENCE_MS = 20_000;

/** `ca`: the authority of servers that speak TLS, PEM. */
export const createCaller = (ca?: string): Caller => {
  const timeouts = { headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS };
  const dispatcher = new Agent({ connections: 128, ...timeouts, ...(ca !== undefined && { connect: { ca } }) });
  return {
    call: async (base, { path, ...call }) => {
      const began = performance.now();
      try {
        const { statusCode: status, headers, body } = await request(`${base}${path}`, { ...call, dispatcher });
        return { status, headers, body: await body.text(), ms: performance.now() - began };
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        return { status: 0, headers: {}, body: '', ms: performance.now() - began, fault: code ?? message };
      }
    },
    close: () => void dispatcher.destroy(),
  };
};

/** What a caller may conclude about a write from what came back. */
export const answerOf = ({ status, body, fault }: CallResult): Answer => {
  if (status >= 200 && status < 300) return 'acknowledged';
  if (status >= 400 && status < 500) return 'refused';
  if (fault === 'ECONNREFUSED') return 'refused';
  return status >= 500 && body.includes('"mayHaveChanged":false') ? 'refused' : 'unknown';
};
