import { randomBytes } from 'node:crypto';
import type { Middleware } from 'koa';
import { traceContextOf, type TraceContext } from '../../workflows/domain/node/cause';
import type { CallState } from './call-state';

/**
 * Gives the call its place in a trace: a span of its own, in the caller's trace where `traceparent` names one, else in a new
 * one that nobody samples (docs/decisions.md, "traces").
 */
export const traceCalls: Middleware<CallState> = (ctx, next) => {
  ctx.state.trace = spanIn(traceContextOf(ctx.get('traceparent')));
  return next();
};

const spanIn = (parent: TraceContext | undefined): TraceContext => ({
  traceId: parent?.traceId ?? randomId(16),
  spanId: randomId(8),
  isSampled: parent?.isSampled ?? false,
});

/** Hex digits of so many random bytes; all zeros would be no id. */
const randomId = (bytes: number): string => {
  const id = randomBytes(bytes);
  return id.some((byte) => byte !== 0) ? id.toString('hex') : randomId(bytes);
};
