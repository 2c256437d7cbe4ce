import * as wf from '@temporalio/workflow';
import { pointAlarm as released } from '../../../workflows/point-alarm.workflow';

/** A node of a build that upserts the search attribute where the released one does not: what it left does not replay. */
export async function pointAlarm(argument?: unknown): Promise<void> {
  wf.upsertSearchAttributes({ PointAlarmStatus: [0] });
  await released(argument);
}
