import * as E from 'fp-ts/Either';
import { ApplicationFailure } from '@temporalio/workflow';
import type { GroupAnswer } from './domain/node/apply-commands';
import type { Rejection } from './domain/commands/rejections';
import { NOTHING_APPLIED, NOTHING_WAITS, CONTINUES_AS_NEW } from './messages';

/** A rejection as the caller of an update gets it: its tag is the failure's type, the whole is its first detail. */
const failureOf = (rejection: Rejection): ApplicationFailure =>
  ApplicationFailure.create({
    type: rejection._tag,
    message: 'reasons' in rejection ? rejection.reasons.slice(0, 5).map(asText).join('; ') : rejection._tag,
    nonRetryable: true,
    details: [rejection],
  });

/** No command of a group changed anything: answered from the validator, so that it leaves no history and costs no write. */
export const nothingApplied = (answer: GroupAnswer): ApplicationFailure =>
  ApplicationFailure.create({
    type: NOTHING_APPLIED,
    message: 'nothing was changed',
    nonRetryable: true,
    details: [answer],
  });

export const nothingWaits = (): ApplicationFailure =>
  ApplicationFailure.create({ type: NOTHING_WAITS, message: 'no event waits', nonRetryable: true });

export const continuesAsNew = (): ApplicationFailure =>
  ApplicationFailure.create({
    type: CONTINUES_AS_NEW,
    message: 'the node continues as new in a moment',
    nonRetryable: true,
  });

/**
 * What `consider` accepts, or the failure that the caller gets. A defect fails the update too, and never the workflow
 * task: that would be tried for ever and hold up the node.
 */
export const orFail = <A>(consider: () => E.Either<Rejection, A>): A => {
  const considered = E.tryCatch(consider, (defect) =>
    ApplicationFailure.create({ type: 'Defect', message: String(defect), nonRetryable: true }),
  );
  if (E.isLeft(considered)) throw considered.left;
  if (E.isLeft(considered.right)) throw failureOf(considered.right.left);
  return considered.right.right;
};

const asText = ({ name, reason }: { readonly name: string; readonly reason: string }): string => `${name} ${reason}`;
