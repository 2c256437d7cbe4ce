import type { coresdk } from '@temporalio/proto';
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { UNTIMED_EVENTS } from './names';

type Activation = coresdk.workflow_activation.IWorkflowActivation;

/**
 * Fails an activation whose events have no time yet, since the server has begun no workflow task with them.
 *
 * A query may find a node in no worker's memory. Then the node is replayed, and a timer, a signal or the end of a publication
 * may have come behind its last task. The SDK's core (1.24.0) delivers those as well, at the time of that task. A node that
 * took them would differ from its history, which has the time of the task to come, and could not be replayed any more. So
 * the query fails, the worker forgets the node, and a query that is sent again waits for the task.
 */
export const interceptors = (): WorkflowInterceptors => {
  let known: Place | undefined;
  return {
    internals: [
      {
        activate: (input, next) => {
          const { activation, batchIndex } = input;
          if (batchIndex === 0 && !isQuery(activation)) {
            const place = placeOf(activation);
            if (isUntimed(place, known) && !isTask(activation)) throw new Error(UNTIMED_EVENTS);
            known = place;
          }
          next(input);
        },
      },
    ],
  };
};

/** How far an activation goes into the history, and its time. */
interface Place {
  readonly events: number;
  readonly time: string;
}

const placeOf = ({ historyLength, timestamp }: Activation): Place => ({
  events: historyLength ?? 0,
  time: `${String(timestamp?.seconds)} ${String(timestamp?.nanos)}`,
});

const isQuery = ({ jobs }: Activation): boolean => jobs?.every(({ queryWorkflow }) => queryWorkflow != null) === true;

/**
 * Whether an activation comes from a task for sure: a replay goes by the history, and updates come with tasks alone. So where
 * the server's clock is set back and time stands still for the node, it takes updates all the same.
 */
const isTask = ({ isReplaying, jobs }: Activation): boolean =>
  isReplaying === true || jobs?.some(({ doUpdate }) => doUpdate != null) === true;

const isUntimed = (place: Place, known: Place | undefined): boolean =>
  known !== undefined && place.events > known.events && place.time === known.time;
