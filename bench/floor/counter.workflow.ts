import { allHandlersFinished, condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { countUpdate, totalQuery } from './names';

/**
 * The floor: an entity by the pattern of Temporal's TypeScript samples, and nothing else. What a service on top of such
 * entities takes less than this is its price.
 */
export async function counter(total: number): Promise<void> {
  setHandler(countUpdate, (by) => (total += by));
  setHandler(totalQuery, () => total);
  await condition(() => workflowInfo().continueAsNewSuggested);
  await condition(allHandlersFinished);
  await continueAsNew<typeof counter>(total);
}
