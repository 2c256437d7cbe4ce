import { getApplicativeValidation } from 'fp-ts/Either';
import { getSemigroup } from 'fp-ts/ReadonlyArray';

/** Combines several readings and collects all of their faults. */
export const validation = getApplicativeValidation(getSemigroup<string>());
