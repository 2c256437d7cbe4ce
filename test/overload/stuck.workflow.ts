import * as wf from '@temporalio/workflow';
import { pointAlarm as released } from '../../workflows/point-alarm.workflow';

/** The node of a build whose histories the released one cannot replay, for some nodes by their ids. */
export async function pointAlarm(carried?: unknown): Promise<void> {
  if (wf.workflowInfo().workflowId.startsWith('point-alarm-dead')) wf.upsertSearchAttributes({ PointAlarmStatus: [0] });
  await released(carried);
}
