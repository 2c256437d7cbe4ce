import * as wf from '@temporalio/workflow';
import { pointAlarm as released } from '../../../workflows/point-alarm.workflow';

/** The node of a next release: it leaves a mark that old runs do not have, as a change that they cannot replay would. */
export async function pointAlarm(carried?: unknown): Promise<void> {
  const isNext = wf.patched('next-release');
  if (isNext) wf.upsertMemo({ release: 'next' });
  wf.setHandler(wf.defineQuery<string>('release'), () => (isNext ? 'next' : 'first'));
  await released(carried);
}
