import type { Reason } from '../codecs';
import type { BearingName } from '../rating/vibration/bearings/resolved-bearing';

/**
 * Why a node does not carry out a command. Nothing was changed.
 *
 * `Unchanged` is a success: there was nothing to do, or it was done before. Its revision is the threshold's, of a repeat the
 * one that the first write left. The rest are refusals.
 */
export type Rejection = Refusal | { readonly _tag: 'Unchanged'; readonly revision: number };
export type Refusal =
  | { readonly _tag: 'InvalidCommand'; readonly reasons: ReadonlyArray<Reason> }
  | { readonly _tag: 'PatchConflict'; readonly reasons: ReadonlyArray<Reason> }
  | { readonly _tag: 'IdempotencyConflict'; readonly reasons: ReadonlyArray<Reason> }
  | { readonly _tag: 'PreconditionFailed'; readonly revision: number }
  | { readonly _tag: 'OutboxFull'; readonly waiting: number }
  | { readonly _tag: 'BearingsNeeded'; readonly bearings: ReadonlyArray<BearingName> };

export const unchanged = (revision: number): Rejection => ({ _tag: 'Unchanged', revision });

export const invalidCommand = (reasons: ReadonlyArray<Reason>): Refusal => ({ _tag: 'InvalidCommand', reasons });

export const patchConflict = (reasons: ReadonlyArray<Reason>): Refusal => ({ _tag: 'PatchConflict', reasons });
