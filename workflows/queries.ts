import * as wf from '@temporalio/workflow';
import { describeNode } from './domain/node/current-details';
import { alarmStatusView, revisedThreshold, snapshotView } from './domain/node/state';
import { queries } from './messages';
import type { Run } from './run';

/** Sets the query handlers, and the current details that operators see in Temporal's UI. */
export const answerQueries = ({ node, publishesUpTo }: Run): void => {
  wf.setHandler(queries.threshold, () => revisedThreshold(node().state), {
    description: 'The threshold as the API shows it, with its revision.',
  });
  wf.setHandler(queries.alarmStatus, () => alarmStatusView(node().state), {
    description: 'The alarm status as the API shows it.',
  });
  wf.setHandler(queries.snapshot, () => snapshotView(node().state), {
    description: 'Threshold and alarm status together, and the last event of which they know.',
  });
  wf.setHandler(queries.pendingEvents, () => node().outbox.waiting, {
    description: 'Events that are committed and not yet known to be in the stream, oldest first.',
  });
  /** The text is made in `toJSON`, because the SDK converts the details to JSON only when somebody looks at them by a query. */
  const details = { toJSON: () => describeNode(node(), publishesUpTo()) };
  wf.setCurrentDetails(details as never); // the parameter's type allows only text
};
