import { listed } from '../../../workflows/domain/codecs';
import type { Refusal } from '../../../workflows/domain/node/commands';
import type { Outage } from '../../ports';
import { detailOfFailed, type Conditions } from '../preconditions';
import { problem, type Problem } from './problem';

/** `Retry-After` (s) of a node whose outbox is full. */
const OUTBOX_RETRY_AFTER = 5;

/** `Retry-After` (s) of a patch whose bearings kept changing. */
const BEARINGS_RETRY_AFTER = 1;

/**
 * The answer to a refusal of a node, or to an outage. `writes`: whether the call was a write; `conditions`: its own.
 *
 * No `default`: a new member of either union fails to compile until it has an answer.
 */
export const problemOfRefusal = (refusal: Refusal | Outage, writes: boolean, conditions?: Conditions): Problem => {
  switch (refusal._tag) {
    case 'InvalidCommand':
      return problem('invalid-request', 'The node does not take the request.', { reasons: listed(refusal.reasons) });
    case 'PatchConflict':
      return problem('patch-conflict', 'No operation was applied.', { reasons: listed(refusal.reasons) });
    case 'IdempotencyConflict':
      return problem('idempotency-conflict', 'Nothing was changed.', { reasons: listed(refusal.reasons) });
    case 'PreconditionFailed':
      return problem('precondition-failed', detailOfFailed(refusal.revision, conditions?.foreignTag));
    case 'QueueFull':
      return problem(
        'too-many-requests',
        'Too many calls wait for this node. Nothing was changed.',
        {},
        retryAfter(refusal.retryAfter),
      );
    case 'Overloaded':
      return refusal.isOwnShare
        ? problem(
            'too-many-requests',
            'Too many calls of the user wait already; those of others go on. Nothing was changed.',
            {},
            retryAfter(refusal.retryAfter),
          )
        : unavailable('More calls wait than can be served in time.', false, refusal.retryAfter);
    case 'OutboxFull':
      return unavailable(`${refusal.waiting} events of the node wait to be published.`, false, OUTBOX_RETRY_AFTER);
    case 'BearingsNeeded': // only another client of Temporal gets here: the API resends the patch with the bearings
      return unavailable('The bearings that the threshold names were not looked up.', false, BEARINGS_RETRY_AFTER);
    case 'Unavailable':
      return unavailable(
        `${refusal.dependency} does not answer.`,
        writes && refusal.mayHaveChanged,
        refusal.retryAfter,
      );
    case 'TimedOut':
      return problem(
        'timeout',
        writes ? 'The call may have changed the node, or may yet.' : 'The node did not answer in time.',
        { mayHaveChanged: writes },
      );
  }
};

const unavailable = (detail: string, mayHaveChanged: boolean, seconds: number): Problem =>
  problem('unavailable', detail, { mayHaveChanged }, retryAfter(seconds));

const retryAfter = (seconds: number): Problem['headers'] => ({
  'Retry-After': String(Math.max(1, Math.ceil(seconds))),
});
