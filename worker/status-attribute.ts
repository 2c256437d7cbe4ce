import type { NativeConnection } from '@temporalio/worker';
import { STATUS_ATTRIBUTE } from '../workflows/names';
import type { Log } from '../process/log';
import { reasonOf } from '../process/reason-of';

/** `INDEXED_VALUE_TYPE_INT` of Temporal's API. */
const INT = 3;
/** The gRPC code ALREADY_EXISTS. */
const ALREADY_EXISTS = 6;

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
