import type * as TE from 'fp-ts/TaskEither';
import type { CryptoKey } from 'jose';
import type { Outage } from '../ports';

/** The key hint in the header of a token. */
export interface KeyHint {
  readonly alg: string;
  readonly kid?: string;
}

/** The public keys that verify tokens. */
export interface KeySet {
  /** The keys that may have signed such a token. May be several, or empty. */
  readonly keysFor: (hint: KeyHint) => TE.TaskEither<Outage, ReadonlyArray<CryptoKey>>;
  /** The version of the keys, which changes with them; absent during a fetch. */
  readonly version: () => number | undefined;
  /** Seconds since the keys were last read from their source; since the start, while they never were. */
  readonly age: () => number;
  readonly close: () => void;
}

export const keySetUnavailable: Outage = {
  _tag: 'Unavailable',
  dependency: 'The key set',
  retryAfter: 5,
  mayHaveChanged: false,
};
