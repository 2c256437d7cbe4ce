/** What the log and the metrics learn of a call on its way. */
export interface CallState {
  requestId?: string;
  /** The template of the route's path; absent where no route took the call. */
  route?: string;
  userId?: string;
  nodeId?: string;
}
