import type { RouterContext } from '@koa/router';
import type { JsonSchema } from '../../../workflows/domain/codecs';
import type { CallState } from '../pipeline/call-state';
import type { Documented } from '../../routes/route';

/** A read-only route that needs no token: health, metrics, documents. */
export interface OpenRoute {
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** The path parameters, by name. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly answers: Readonly<Record<number, Documented>>;
  readonly answer: (ctx: RouterContext<CallState>) => Promise<void>;
}
