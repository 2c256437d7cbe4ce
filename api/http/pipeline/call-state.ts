import type { TraceContext } from '../../../workflows/domain/commands/cause';

/** What the log and the metrics learn of a call on its way. */
export interface CallState {
  requestId?: string;
  trace?: TraceContext;
  /** The template of the route's path; absent where no route took the call. */
  route?: string;
  /** Whether it is one of health, metrics and documents, which are asked for all the time. */
  isOpen?: boolean;
  userId?: string;
  nodeId?: string;
  /** The name of the operation in the OpenAPI document. */
  operation?: string;
  /** The type of the problem that it was answered with. */
  problem?: string;
  /** There was nothing to do. */
  isUnchanged?: boolean;
}
