import type { Reason } from './codecs';

/** Why a node refuses a command. Nothing was changed. The API answers `Unchanged` as a success; the rest are refusals. */
export type Rejection = Refusal | { readonly _tag: 'Unchanged' };
export type Refusal =
  | { readonly _tag: 'InvalidCommand'; readonly reasons: ReadonlyArray<Reason> }
  | { readonly _tag: 'PatchConflict'; readonly reasons: ReadonlyArray<Reason> }
  | { readonly _tag: 'IdempotencyConflict'; readonly reasons: ReadonlyArray<Reason> }
  | { readonly _tag: 'PreconditionFailed'; readonly revision: number }
  | { readonly _tag: 'OutboxFull'; readonly waiting: number };

export const unchanged: Rejection = { _tag: 'Unchanged' };

export const invalidCommand = (reasons: ReadonlyArray<Reason>): Refusal => ({ _tag: 'InvalidCommand', reasons });

export const patchConflict = (reasons: ReadonlyArray<Reason>): Refusal => ({ _tag: 'PatchConflict', reasons });
