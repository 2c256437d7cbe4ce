import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { traceContextOf, type TraceContext } from '../../../workflows/domain/commands/cause';
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
  traceId: parent?.traceId ?? randomHex(),
  spanId: randomHex().slice(16),
  isSampled: parent?.isSampled ?? false,
});

/** 32 hex digits, of which neither half is all zeros: Node makes UUIDs many at a time, bytes one draw after the other. */
const randomHex = (): string => randomUUID().replaceAll('-', '');
