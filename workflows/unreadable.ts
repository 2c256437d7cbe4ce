import { ApplicationFailure } from '@temporalio/workflow';
import { UNREADABLE_PAYLOAD } from './names';

/** Why the payload of `value` could not be read; `undefined` for one that could. */
const whyUnreadable = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'unreadable' in value ? String(value.unreadable) : undefined;

/** Refuses the argument of an update that cannot be read: for validators, so that it leaves no history. */
export const refuseUnreadable = (value: unknown): void => {
  const why = whyUnreadable(value);
  if (why !== undefined)
    throw ApplicationFailure.nonRetryable(`the payload cannot be read: ${why}`, UNREADABLE_PAYLOAD);
};

/**
 * What the node has accepted or left before, it must read again. Where a worker cannot, for want of a key, the workflow task
 * fails, and the node waits for one that can: to go on without it would lose what was acknowledged.
 */
export const mustBeReadable = (value: unknown): void => {
  const why = whyUnreadable(value);
  if (why !== undefined) throw new Error(`a payload of the node's own history cannot be read: ${why}`);
};
