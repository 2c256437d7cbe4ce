import type { TraceContext } from '../../../workflows/domain/commands/cause';

/** The facts of a call for log and metrics. */
export interface CallState {
  requestId?: string;
  trace?: TraceContext;
  /** The template of the route's path; absent where no route matched. */
  route?: string;
  /** Whether the route is one of health, metrics and documents, which are polled all the time. */
  isOpen?: boolean;
  userId?: string;
  nodeId?: string;
  /** The name of the operation in the OpenAPI document. */
  operation?: string;
  /** The type of the problem in the answer. */
  problem?: string;
  /** There was nothing to do. */
  isUnchanged?: boolean;
}
