import * as wf from '@temporalio/workflow';
import { pointAlarm as released } from '../../workflows/point-alarm.workflow';

/** The node with a change that old histories do not know: it waits before it works. */
export async function pointAlarm(carried?: unknown): Promise<void> {
  await wf.sleep('1 second');
  await released(carried);
}
