import { getApplicativeValidation } from 'fp-ts/Either';
import { getSemigroup } from 'fp-ts/ReadonlyArray';

/** Joins what was read of several things: every fault of each of them, not of the first alone. */
export const validation = getApplicativeValidation(getSemigroup<string>());
