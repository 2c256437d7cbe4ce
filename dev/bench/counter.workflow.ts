import { defineSearchAttributeKey, SearchAttributeType, type UpdateDefinition } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import { STATUS_ATTRIBUTE } from '../../workflows/messages';

export const TASK_QUEUE = 'baseline';

/** Adds the first number to the total. The second number, if any, becomes the status in the search attribute. */
export const countUpdate: UpdateDefinition<number, [number, number?]> = wf.defineUpdate('count');
export const totalQuery = wf.defineQuery<number>('total');

const STATUS = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The baseline: a counter, as in Temporal's TypeScript samples of entity workflows, with a status as search attribute. */
export async function counterWorkflow(total: number): Promise<void> {
  wf.setHandler(countUpdate, (by, status) => {
    if (status !== undefined) wf.upsertSearchAttributes([{ key: STATUS, value: status }]);
    return (total += by);
  });
  wf.setHandler(totalQuery, () => total);
  await wf.condition(() => wf.workflowInfo().continueAsNewSuggested);
  await wf.condition(wf.allHandlersFinished);
  await wf.continueAsNew<typeof counterWorkflow>(total);
}
