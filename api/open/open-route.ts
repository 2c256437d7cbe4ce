import type { ParameterizedContext } from 'koa';
import type { CallState } from '../pipeline/call-state';
import type { Documented } from '../route';

/** A route that needs no token: health, metrics, documents. It reads only. */
export interface OpenRoute {
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  readonly answers: Readonly<Record<number, Documented>>;
  readonly answer: (ctx: ParameterizedContext<CallState>) => Promise<void>;
}
