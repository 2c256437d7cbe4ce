import * as wf from '@temporalio/workflow';

/**
 * Runs `life`, which ends by continuing as new, deaf to cancel requests.
 *
 * Whatever else it throws would end the workflow, and its state would be lost. So it fails the workflow task instead: the
 * node waits, seen in `/readyz` and metrics, for a release that corrects it.
 */
export const neverEnding = (life: () => Promise<never>): Promise<never> =>
  wf.CancellationScope.nonCancellable(life).catch((end: unknown) => {
    throw end instanceof wf.ContinueAsNew ? end : new Error(`a node must not end: ${String(end)}`, { cause: end });
  });
