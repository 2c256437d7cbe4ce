import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { commandNames, type CommandName } from './domain/node/commands';
import type { GroupReceipt } from './domain/node/apply-group';
import type { OutboxEvent } from './domain/node/outbox';
import type { AlarmStatusView } from './domain/alarm/alarm-status';
import type { RevisedThreshold, Snapshot } from './domain/node/state';

export interface Receipt {
  readonly revision: number;
  readonly status: number;
  /** False where there was nothing to do, or it was done before. */
  readonly changed: boolean;
}

const ofEachCommand = <A>(define: (name: CommandName) => A): Readonly<Record<CommandName, A>> =>
  Object.fromEntries(commandNames.map((name) => [name, define(name)])) as Record<CommandName, A>;

/** One update a command, of its name. The payload is open: anyone may call, and the node decodes what comes. */
export const updates = ofEachCommand((name) => defineUpdate<Receipt, [unknown]>(name));

/** The same commands as signals: a signal has no answer, its refusal is logged and counted. */
export const signals = ofEachCommand((name) => defineSignal<[unknown]>(name));

/** Several commands in order, `{commands: [{name, ...payload}], sentBy?, ...}` (`applyGroup`), each answered on its own. */
export const applyCommandsUpdate = defineUpdate<GroupReceipt, [unknown]>('applyCommands');

/** Has the node publish by itself all that waits. Refused, with the failure type `NothingWaits`, where nothing does. */
export const publishNowUpdate = defineUpdate<{ readonly waiting: number }>('publishNow');

export const queries = {
  threshold: defineQuery<RevisedThreshold>('threshold'),
  alarmStatus: defineQuery<AlarmStatusView>('alarmStatus'),
  snapshot: defineQuery<Snapshot>('snapshot'),
  pendingEvents: defineQuery<ReadonlyArray<OutboxEvent>>('pendingEvents'),
};

export const WORKFLOW_TYPE = 'pointAlarm';

/** The search attribute (Int) that holds a node's status. A node keeps it once a group said that the cluster takes it. */
export const STATUS_ATTRIBUTE = 'PointAlarmStatus';

// How an update fails that changes nothing, by the type of the failure.
/** A group in which nothing was applied; the first detail is its answer. */
export const NOTHING_APPLIED = 'NothingApplied';
/** `publishNow` of a node that has nothing to publish. */
export const NOTHING_WAITS = 'NothingWaits';
/** A group that the node sends back, because its run ends in a moment. */
export const CONTINUES_AS_NEW = 'ContinuesAsNew';
/** An argument that cannot be read. */
export const UNREADABLE_PAYLOAD = 'UnreadablePayload';

/** How a query fails that met events whose workflow task has not begun. The next one waits for that task. */
export const UNTIMED_EVENTS = 'the query met events whose workflow task has not begun; send it again';

/** The marker in the history of a run for its signal of that number, which nobody could read when it came. */
export const unreadableSignal = (number: number): string => `signal ${number} could not be read`;

/** The marker in the history of a run in which signals wait for a later task, from the task on that has it. */
export const SIGNALS_WAIT = 'signals wait';

/** The marker in the history of a run in which a better status is written once it has lasted, from the first change that tells. */
export const STATUS_LASTS = 'status lasts';

export const workflowIdOf = (nodeId: string): string => `point-alarm-${nodeId}`;

export const nodeIdOf = (workflowId: string): string => workflowId.replace(/^point-alarm-/u, '').toLowerCase();
