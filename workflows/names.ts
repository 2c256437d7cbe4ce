/** The workflow type of a node. */
export const WORKFLOW_TYPE = 'pointAlarm';

/** The search attribute (Int) that holds a node's status. A node keeps it where it was started with it. */
export const STATUS_ATTRIBUTE = 'PointAlarmStatus';

/** The type of the failure that answers a group in which nothing was applied; its first detail is the answer. */
export const NOTHING_APPLIED = 'NothingApplied';

/** The type of the failure that answers `publishNow` of a node that has nothing to publish. */
export const NOTHING_WAITS = 'NothingWaits';

/** The type of the failure with which a node sends a group back, because its run ends in a moment. Nothing was changed. */
export const CONTINUES_AS_NEW = 'ContinuesAsNew';

/** The type of the failure that answers an update whose argument cannot be read. Nothing was changed. */
export const UNREADABLE_PAYLOAD = 'UnreadablePayload';

/** How a query fails that met events whose workflow task has not begun. The next one waits for that task. */
export const UNTIMED_EVENTS = 'the query met events whose workflow task has not begun; send it again';

/** The id of a node's workflow. */
export const workflowIdOf = (nodeId: string): string => `point-alarm-${nodeId}`;

/** The node that a workflow id names. */
export const nodeIdOf = (workflowId: string): string => workflowId.replace(/^point-alarm-/u, '').toLowerCase();
