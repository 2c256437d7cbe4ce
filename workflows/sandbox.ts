import type { coresdk } from '@temporalio/proto';
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { UNTIMED_EVENTS, UNREADABLE_PAYLOAD } from './messages';
import { ApplicationFailure, defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

type Activation = coresdk.workflow_activation.IWorkflowActivation;

/**
 * Fails an activation whose events belong to no workflow task yet. For a query, the SDK's core (1.24.0) may deliver such events
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
 * Identifies a workflow task by its beginning. The time alone does not suffice, because it stands still while the server's
 * clock is set back. So the size of the history is added, which grows from task to task.
 */
const beginningOf = ({ timestamp, historySizeBytes }: Activation): string =>
  [timestamp?.seconds, timestamp?.nanos, historySizeBytes].map(String).join(' ');

const isQuery = ({ jobs }: Activation): boolean => jobs?.every(({ queryWorkflow }) => queryWorkflow != null) === true;

/** Whether an activation surely belongs to a task. One with an update does; two such tasks may have an equal `beginningOf`. */
const isTask = ({ isReplaying, jobs }: Activation): boolean =>
  isReplaying === true || jobs?.some(({ doUpdate }) => doUpdate != null) === true;

/** The SDK's converter, but `fromPayload` never throws: an error for a signal would fail the workflow task again and again. */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the interface promises a type that nothing checks
  fromPayload: <T>(payload: Payload) => {
    if (!read.has(payload)) read.set(payload, readable(payload));
    return read.get(payload) as T;
  },
};

/** Decoded payloads: the SDK decodes an update's argument for the validator and for the handler, and neither changes it. */
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

/** Why the payload of `value` could not be read; undefined if it could. */
const whyUnreadable = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'unreadable' in value ? String(value.unreadable) : undefined;

export const isUnreadable = (value: unknown): boolean => whyUnreadable(value) !== undefined;

/** Refuses an update whose argument cannot be read. Validators call this, so that the update leaves no history. */
export const rejectIfUnreadable = (value: unknown): void => {
  const why = whyUnreadable(value);
  if (why !== undefined)
    throw ApplicationFailure.nonRetryable(`the payload cannot be read: ${why}`, UNREADABLE_PAYLOAD);
};

/** Fails the task if a payload of the history cannot be read, so that the node waits for a worker that has the key. */
export const failTaskIfUnreadable = (value: unknown): void => {
  const why = whyUnreadable(value);
  if (why !== undefined) throw new Error(`a payload of the node's own history cannot be read: ${why}`);
};
