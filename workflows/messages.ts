import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { commandNames, type CommandName } from './domain/node/commands';
import type { GroupReceipt } from './domain/node/apply-group';
import type { OutboxEvent } from './domain/node/outbox';
import type { AlarmStatusView } from './domain/alarm/alarm-status';
import type { RevisedThreshold, Snapshot } from './domain/node/state';

export interface Receipt {
  readonly revision: number;
  readonly status: number;
  /** False if there was nothing to do, or the command was carried out before. */
  readonly changed: boolean;
}

const ofEachCommand = <A>(define: (name: CommandName) => A): Readonly<Record<CommandName, A>> =>
  Object.fromEntries(commandNames.map((name) => [name, define(name)])) as Record<CommandName, A>;

/** One update for each command. Anyone may send an update, so its payload has no type here, and the node decodes it. */
export const updates = ofEachCommand((name) => defineUpdate<Receipt, [unknown]>(name));

/** The same commands as signals. A signal has no answer, so its refusal is logged and counted. */
export const signals = ofEachCommand((name) => defineSignal<[unknown]>(name));

/** Several commands in order, `{commands: [{name, ...payload}], sentBy?, ...}` (`applyGroup`), each answered on its own. */
export const applyCommandsUpdate = defineUpdate<GroupReceipt, [unknown]>('applyCommands');

/** Asks the node to publish all waiting events itself. If none waits, the update fails with the type `NothingWaits`. */
export const publishNowUpdate = defineUpdate<{ readonly waiting: number }>('publishNow');

export const queries = {
  threshold: defineQuery<RevisedThreshold>('threshold'),
  alarmStatus: defineQuery<AlarmStatusView>('alarmStatus'),
  snapshot: defineQuery<Snapshot>('snapshot'),
  pendingEvents: defineQuery<ReadonlyArray<OutboxEvent>>('pendingEvents'),
};

export const WORKFLOW_TYPE = 'pointAlarm';

/** The search attribute (Int) with a node's status. A node writes it once a group has stated that the cluster has it. */
export const STATUS_ATTRIBUTE = 'PointAlarmStatus';

// The types of failures of updates that change nothing.
/** No command of the group changed anything. The first detail of the failure is the group's answer. */
export const NOTHING_APPLIED = 'NothingApplied';
/** `publishNow` was sent to a node that has nothing to publish. */
export const NOTHING_WAITS = 'NothingWaits';
/** The node refuses the group because its run ends in a moment. The API then sends the group again. */
export const CONTINUES_AS_NEW = 'ContinuesAsNew';
export const UNREADABLE_PAYLOAD = 'UnreadablePayload';

/** The failure of a query that came with events whose workflow task has not begun. The next query waits for that task. */
export const UNTIMED_EVENTS = 'the query met events whose workflow task has not begun; send it again';

/** Marker in a run's history: the signal of this number (the run's first is 1) could not be read when it arrived. */
export const unreadableSignal = (number: number): string => `signal ${number} could not be read`;

export const workflowIdOf = (nodeId: string): string => `point-alarm-${nodeId}`;

export const nodeIdOf = (workflowId: string): string => workflowId.replace(/^point-alarm-/u, '').toLowerCase();
