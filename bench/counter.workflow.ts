import { defineSearchAttributeKey, SearchAttributeType, type UpdateDefinition } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { STATUS_ATTRIBUTE } from '../workflows/messages';

/** By so much; a status to be found by may come with it. */
export const countUpdate: UpdateDefinition<number, [number, number?]> = defineUpdate('count');
export const totalQuery = defineQuery<number>('total');

const STATUS = defineSearchAttributeKey(STATUS_ATTRIBUTE, SearchAttributeType.INT);

/** The baseline: an entity by the pattern of Temporal's TypeScript samples, and nothing else, but that it can be found by a status. */
export async function counter(total: number): Promise<void> {
  setHandler(countUpdate, (by, status) => {
    if (status !== undefined) upsertSearchAttributes([{ key: STATUS, value: status }]);
    return (total += by);
  });
  setHandler(totalQuery, () => total);
  await condition(() => workflowInfo().continueAsNewSuggested);
  await condition(allHandlersFinished);
  await continueAsNew<typeof counter>(total);
}
