import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { commandNames, type CommandName } from './domain/commands/commands';
import type { GroupReceipt } from './domain/node/apply-group';
import type { OutboxEvent } from './domain/node/outbox';
import type { AlarmStatusView } from './domain/alarm/alarm-status';
import type { RevisedThreshold, Snapshot } from './domain/node/views';

/** What an update answers once its command was carried out. */
interface Receipt {
  readonly revision: number;
  readonly status: number;
}

const ofEachCommand = <A>(define: (name: CommandName) => A): Record<CommandName, A> =>
  Object.fromEntries(commandNames.map((name) => [name, define(name)])) as Record<CommandName, A>;

/** One update a command, of its name. The payload is open: anyone may call, and the node decodes what comes. */
export const updates: Record<CommandName, UpdateDefinition<Receipt, [unknown]>> = ofEachCommand((name) =>
  defineUpdate<Receipt, [unknown]>(name),
);

/** The same commands as signals: a signal has no answer, its refusal is logged and counted. */
export const signals: Record<CommandName, SignalDefinition<[unknown]>> = ofEachCommand((name) =>
  defineSignal<[unknown]>(name),
);

/** Several commands in order, `{commands: [{name, ...payload}], sentBy?, relay?, published?}`, each answered on its own. */
export const applyCommandsUpdate = defineUpdate<GroupReceipt, [unknown]>('applyCommands');

/** Has the node publish by itself all that waits. Refused, with the failure type `NothingWaits`, where nothing does. */
export const publishNowUpdate = defineUpdate<{ readonly waiting: number }>('publishNow');

export const queries = {
  threshold: defineQuery<RevisedThreshold>('threshold'),
  alarmStatus: defineQuery<AlarmStatusView>('alarmStatus'),
  snapshot: defineQuery<Snapshot>('snapshot'),
  pendingEvents: defineQuery<ReadonlyArray<OutboxEvent>>('pendingEvents'),
};

export * from './names';
