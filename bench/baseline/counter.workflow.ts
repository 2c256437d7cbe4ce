import type { UpdateDefinition } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

export const countUpdate: UpdateDefinition<number, [number]> = defineUpdate('count');
export const totalQuery = defineQuery<number>('total');

/** The baseline: an entity by the pattern of Temporal's TypeScript samples, and nothing else. */
export async function counter(total: number): Promise<void> {
  setHandler(countUpdate, (by) => (total += by));
  setHandler(totalQuery, () => total);
  await condition(() => workflowInfo().continueAsNewSuggested);
  await condition(allHandlersFinished);
  await continueAsNew<typeof counter>(total);
}
