import type { NativeConnection } from '@temporalio/worker';
import { STATUS_ATTRIBUTE } from '../workflows/names';
import type { Log } from '../process/log';
import { reasonOf } from '../process/reason-of';

/** `INDEXED_VALUE_TYPE_INT` of Temporal's API. */
const INT = 3;
/** The gRPC code ALREADY_EXISTS. */
const ALREADY_EXISTS = 6;

/** So long (ms) a cluster must have known the attribute until all of its hosts do: they look at what is registered once a minute. */
const KNOWN_FOR_MS = 120_000;
/** Time (ms) that an answer serves all who ask. */
const ASKED_EVERY_MS = 10_000;
const ANSWERS_WITHIN_MS = 5_000;

/** Whether the host that is asked takes the search attribute. It is a question that finds no node. */
export const takesStatusAttribute = (
  connection: Pick<NativeConnection, 'withDeadline' | 'workflowService'>,
  namespace: string,
): Promise<boolean> =>
  connection
    .withDeadline(Date.now() + ANSWERS_WITHIN_MS, () =>
      connection.workflowService.countWorkflowExecutions({ namespace, query: `${STATUS_ATTRIBUTE} = -1` }),
    )
    .then(
      () => true,
      () => false,
    );

/**
 * Whether all hosts of a cluster take the search attribute, by what one of them `takes`. A node that wrote one which its host
 * does not know yet could not go on until the host does.
 */
export const statusAttributeIsKnown = (takes: () => Promise<boolean>): (() => Promise<boolean>) => {
  let takenSince: number | undefined;
  let askedAt = -Infinity;
  return async () => {
    if (performance.now() - askedAt >= ASKED_EVERY_MS) {
      askedAt = performance.now();
      takenSince = (await takes()) ? (takenSince ?? performance.now()) : undefined;
    }
    return takenSince !== undefined && performance.now() - takenSince >= KNOWN_FOR_MS;
  };
};

/** Registers the search attribute for nodes by status; without the permission it logs the command to run. */
export const registerStatusAttribute = async (
  { operatorService }: NativeConnection,
  namespace: string,
  log: Log,
): Promise<void> => {
  try {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum lives in a package of generated code
    await operatorService.addSearchAttributes({ namespace, searchAttributes: { [STATUS_ATTRIBUTE]: INT } });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === ALREADY_EXISTS) return;
    log.warn(
      { reason: reasonOf(error), attribute: STATUS_ATTRIBUTE },
      'could not register the search attribute: have it registered, or set TEMPORAL_SEARCH_ATTRIBUTES=off',
    );
  }
};
