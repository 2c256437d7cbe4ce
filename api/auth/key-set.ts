import type * as TE from 'fp-ts/TaskEither';
import type { CryptoKey } from 'jose';
import type { Outage } from '../ports';

/** What the head of a token says of the key that signed it. */
export interface KeyHint {
  readonly alg: string;
  readonly kid?: string;
}

/** The public keys that tokens are verified by. */
export interface KeySet {
  /** The keys that may have signed such a token; several where the hint fits several, none where it fits none. */
  readonly keysFor: (hint: KeyHint) => TE.TaskEither<Outage, ReadonlyArray<CryptoKey>>;
  /** Another number once the keys are others; absent while they are being fetched. */
  readonly version: () => number | undefined;
  readonly close: () => void;
}

export const keySetUnavailable: Outage = {
  _tag: 'Unavailable',
  dependency: 'The key set',
  retryAfter: 5,
  mayHaveChanged: false,
};
