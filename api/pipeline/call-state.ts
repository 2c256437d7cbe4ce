/** What the log and the metrics learn of a call on its way. */
export interface CallState {
  requestId?: string;
  /** The template of the route's path; absent where no route took the call. */
  route?: string;
  /** Whether it is one of health, metrics and documents, which are asked for all the time. */
  isOpen?: boolean;
  userId?: string;
  nodeId?: string;
}
