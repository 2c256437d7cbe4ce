import { randomBytes } from 'node:crypto';
import type { Middleware } from 'koa';
import { REQUEST_NAME_LENGTH } from '../../../workflows/domain/limits';
import type { CallState } from './call-state';

const SANE = new RegExp(`^[\\w.-]{1,${REQUEST_NAME_LENGTH}}$`, 'u');

const REQUEST_ID = 'X-Request-Id';

/** A request id: 16 characters of 96 random bits. */
export const newRequestId = (): string => randomBytes(12).toString('base64url');

/** Sets the request id on every answer: the caller's where it is valid, else a new one. */
export const nameCalls: Middleware<CallState> = (ctx, next) => {
  const given = ctx.get(REQUEST_ID);
  ctx.state.requestId = SANE.test(given) ? given : newRequestId();
  ctx.set(REQUEST_ID, ctx.state.requestId);
  return next();
};
