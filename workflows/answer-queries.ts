import * as wf from '@temporalio/workflow';
import type { Node } from './domain/node/node';
import { alarmStatusView, revisedThreshold, snapshotView } from './domain/node/views';
import { queries } from './messages';

/** Answers queries of the node as it is. */
export const answerQueries = (node: () => Node): void => {
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
};
