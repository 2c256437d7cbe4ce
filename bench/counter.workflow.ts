import { defineSearchAttributeKey, SearchAttributeType, type UpdateDefinition } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import { STATUS_ATTRIBUTE } from '../workflows/messages';

export const TASK_QUEUE = 'baseline';

/** By so much; a status to be found by may come with it. */
export const countUpdate: UpdateDefinition<number, [number, number?]> = wf.defineUpdate('count');
export const totalQuery = wf.defineQuery<number>('total');

const STATUS = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The baseline: an entity by the pattern of Temporal's TypeScript samples, and nothing else, but that it can be found by a status. */
export async function counter(total: number): Promise<void> {
  wf.setHandler(countUpdate, (by, status) => {
    if (status !== undefined) wf.upsertSearchAttributes([{ key: STATUS, value: status }]);
    return (total += by);
  });
  wf.setHandler(totalQuery, () => total);
  await wf.condition(() => wf.workflowInfo().continueAsNewSuggested);
  await wf.condition(wf.allHandlersFinished);
  await wf.continueAsNew<typeof counter>(total);
}
