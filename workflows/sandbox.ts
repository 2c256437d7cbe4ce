import type { coresdk } from '@temporalio/proto';
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { UNTIMED_EVENTS, UNREADABLE_PAYLOAD } from './messages';
import { ApplicationFailure, defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

type Activation = coresdk.workflow_activation.IWorkflowActivation;

/**
 * Fails an activation whose events belong to no workflow task yet: a query may have the SDK's core (1.24.0) deliver such events
 * (docs/contributing/decisions-temporal.md, "A query that meets events without a task fails").
 */
export const interceptors = (): WorkflowInterceptors => {
  let known: { readonly events: number; readonly task: string } | undefined;
  return {
    internals: [
      {
        activate: (input, next) => {
          const { activation, batchIndex } = input;
          if (batchIndex === 0 && !isQuery(activation)) {
            const [events, task] = [activation.historyLength ?? 0, beginningOf(activation)];
            const isUntimed = known !== undefined && task === known.task && events > known.events;
            if (isUntimed && !isTask(activation)) throw new Error(UNTIMED_EVENTS);
            known = { events, task };
          }
          next(input);
        },
      },
    ],
  };
};

/**
 * What the last event that began a workflow task brought. Its time alone does not tell two tasks apart: it stands still while the
 * server's clock is set back. The size of the history grows from task to task.
 */
const beginningOf = ({ timestamp, historySizeBytes }: Activation): string =>
  [timestamp?.seconds, timestamp?.nanos, historySizeBytes].map(String).join(' ');

const isQuery = ({ jobs }: Activation): boolean => jobs?.every(({ queryWorkflow }) => queryWorkflow != null) === true;

/** Whether an activation comes from a task for sure: two tasks that bring updates may begin with a history of the same size. */
const isTask = ({ isReplaying, jobs }: Activation): boolean =>
  isReplaying === true || jobs?.some(({ doUpdate }) => doUpdate != null) === true;

/** The SDK's own converter, but that it never throws, which in a signal would fail the workflow task, and so hold up the node for ever. */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the interface promises a type that nothing checks
  fromPayload: <T>(payload: Payload) => {
    if (!read.has(payload)) read.set(payload, readable(payload));
    return read.get(payload) as T;
  },
};

/** The SDK reads the argument of an update for the validator and again for the handler; neither changes it. */
const read = new WeakMap<Payload, unknown>();

const readable = (payload: Payload): unknown => {
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return value instanceof Uint8Array ? unreadable('it is bytes') : value;
  } catch (fault) {
    return unreadable(String(fault));
  }
};

const unreadable = (why: string): unknown => ({ unreadable: why.slice(0, 200) });

/** Why the payload of `value` could not be read; `undefined` for one that could. */
const whyUnreadable = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'unreadable' in value ? String(value.unreadable) : undefined;

export const isUnreadable = (value: unknown): boolean => whyUnreadable(value) !== undefined;

/** Refuses the argument of an update that cannot be read: for validators, so that it leaves no history. */
export const refuseUnreadable = (value: unknown): void => {
  const why = whyUnreadable(value);
  if (why !== undefined)
    throw ApplicationFailure.nonRetryable(`the payload cannot be read: ${why}`, UNREADABLE_PAYLOAD);
};

/** What was acknowledged must be read again: where a worker cannot, for want of a key, the task fails, and the node waits. */
export const mustBeReadable = (value: unknown): void => {
  const why = whyUnreadable(value);
  if (why !== undefined) throw new Error(`a payload of the node's own history cannot be read: ${why}`);
};
