import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { TraceContext } from '../../workflows/domain/node/cause';
import { REQUEST_NAME_LENGTH } from '../../workflows/domain/limits';
import type { Sent } from '../ports';
import { catalogue } from './problems/catalogue';
import { type Problem, PROBLEM_MEDIA_TYPE, problemBody } from './problems/problem';

/** The successful answer of a route. `body` is JSON, or absent. */
export interface Answer {
  readonly status: 200 | 204 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
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

export const answerWith = (ctx: Answering, { status, headers = {}, body, outcome }: Answer): void => {
  if (outcome === 'Unchanged') ctx.state.isUnchanged = true;
  ctx.set(headers);
  if (body !== undefined) ctx.set('Content-Type', 'application/json');
  ctx.body = body === undefined ? null : JSON.stringify(body);
  ctx.status = status;
};

export const answerProblem = (ctx: Answering, problem: Problem): void => {
  ctx.state.problem = problem.type;
  ctx.set(problem.headers);
  ctx.set('Content-Type', PROBLEM_MEDIA_TYPE);
  ctx.body = JSON.stringify(problemBody(problem, ctx.path, ctx.state.requestId));
  ctx.status = catalogue[problem.type].status;
};
