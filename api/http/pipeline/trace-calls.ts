import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { traceContextOf, type TraceContext } from '../../../workflows/domain/commands/cause';
import type { CallState } from './call-state';

/**
 * Gives the call a span of its own: in the caller's trace where `traceparent` names one, else in a new, unsampled trace
 * (docs/decisions.md, "traces").
 */
export const traceCalls: Middleware<CallState> = (ctx, next) => {
  ctx.state.trace = spanIn(traceContextOf(ctx.get('traceparent')));
  return next();
};

const spanIn = (parent: TraceContext | undefined): TraceContext => ({
  traceId: parent?.traceId ?? randomHex(),
  spanId: randomHex().slice(16),
  isSampled: parent?.isSampled ?? false,
});

/** 32 hex digits, of which neither half is all zeros: Node generates UUIDs in batches, which is faster than random bytes. */
const randomHex = (): string => randomUUID().replaceAll('-', '');
