import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { TraceContext } from '../../workflows/domain/node/cause';
import { REQUEST_NAME_LENGTH } from '../../workflows/domain/limits';
import type { Sent } from '../ports';
import { catalogue } from './problems/catalogue';
import { type Problem, PROBLEM_MEDIA_TYPE, problemBody } from './problems/problem';

/** The successful answer of a route. `body` is JSON, or absent; `pieces` are one that is written already. */
export interface Answer {
  readonly status: 200 | 204 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly pieces?: ReadonlyArray<Buffer>;
  /** What became of a command. */
  readonly outcome?: Sent['_tag'];
}

/** The facts of a call for log and metrics. The first two are set before anything else. */
export interface CallState {
  requestId: string;
  trace: TraceContext;
  /** Absent where none matched. One that answers by itself is of health, metrics or documents. */
  route?: { readonly id: string; readonly path: string; readonly answer?: unknown };
  userId?: string;
  nodeId?: string;
  problem?: string;
  /** There was nothing to do. */
  isUnchanged?: boolean;
}

type Answering = Context & { readonly state: CallState };

const SANE = new RegExp(`^[\\w.-]{1,${REQUEST_NAME_LENGTH}}$`, 'u');

const REQUEST_ID = 'X-Request-Id';

/** A request id: 16 characters of 96 random bits. */
export const newRequestId = (): string => randomBytes(12).toString('base64url');

/** Sets the request id on every answer: the caller's where it is valid, else a new one. */
export const setRequestId = (ctx: Answering): void => {
  const given = ctx.get(REQUEST_ID);
  ctx.state.requestId = SANE.test(given) ? given : newRequestId();
  ctx.set(REQUEST_ID, ctx.state.requestId);
};

export const answerWith = (ctx: Answering, { status, headers = {}, body, pieces, outcome }: Answer): void => {
  if (outcome === 'Unchanged') ctx.state.isUnchanged = true;
  ctx.set(headers);
  if (body !== undefined || pieces !== undefined) ctx.set('Content-Type', 'application/json');
  if (pieces !== undefined) {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    ctx.body = length > CHUNK_BYTES ? Readable.from(inChunks(pieces)) : Buffer.concat(pieces);
    ctx.length = length;
  } else ctx.body = body === undefined ? null : JSON.stringify(body);
  ctx.status = status;
};

/** Bytes that are written at once, of small pieces. */
const CHUNK_BYTES = 65_536;

/** The bytes of `pieces`, which are never copied all at once. */
function* inChunks(pieces: ReadonlyArray<Buffer>): Generator<Buffer> {
  let [first, bytes] = [0, 0];
  for (const [index, { length }] of pieces.entries()) {
    bytes += length;
    if (bytes < CHUNK_BYTES && index < pieces.length - 1) continue;
    yield Buffer.concat(pieces.slice(first, index + 1));
    [first, bytes] = [index + 1, 0];
  }
}

export const answerProblem = (ctx: Answering, problem: Problem): void => {
  ctx.state.problem = problem.type;
  ctx.set(problem.headers);
  ctx.set('Content-Type', PROBLEM_MEDIA_TYPE);
  ctx.body = JSON.stringify(problemBody(problem, ctx.path, ctx.state.requestId));
  ctx.status = catalogue[problem.type].status;
};
