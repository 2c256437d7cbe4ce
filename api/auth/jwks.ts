import { createPublicKey } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import {
  array,
  below,
  codec,
  fault,
  isRecord,
  openObject,
  refine,
  type Codec,
  type Reason,
} from '../../workflows/domain/codecs';
import { signingAlgorithms } from './signing-algorithms';

type Jwk = Readonly<Record<string, unknown>>;

/** The public keys of a JSON Web Key Set (RFC 7517) that signatures can be verified by. */
export interface Jwks {
  readonly keys: ReadonlyArray<Jwk>;
}

const KEY_BYTES = 64 * 1_024;
const MOST_KEYS = 100;
const SHORTEST_RSA_BITS = 2_048;

const keys: Codec<ReadonlyArray<Jwk>> = refine(array(openObject(KEY_BYTES), MOST_KEYS), (listed) => {
  const faults = listed.flatMap(faultsOf);
  return faults.length > 0 || listed.some(isOurs)
    ? faults
    : [{ name: '', reason: 'must hold a public key that verifies signatures' }];
});

/**
 * A key set. Other members, and keys of another use or kind, are ignored, as the RFC asks. A secret
 * or private key is refused, and so is a key that lacks a member of its kind.
 */
export const jwks: Codec<Jwks> = codec('key set', { type: 'object' }, (input, context) =>
  isRecord(input)
    ? pipe(
        keys.validate(input['keys'], below(context, 'keys')),
        E.map((listed) => ({ keys: listed.filter(isOurs) })),
      )
    : t.failures([fault(input, context, 'must be an object')]),
);

const curves: ReadonlyArray<unknown> = ['P-256', 'P-384', 'P-521', 'Ed25519'];

const isOurs = ({ kty, crv, use, alg }: Jwk): boolean =>
  (kty === 'RSA' || ((kty === 'EC' || kty === 'OKP') && curves.includes(crv))) &&
  (use === undefined || use === 'sig') &&
  (alg === undefined || signingAlgorithms.some((known) => known === alg));

const faultsOf = (key: Jwk, index: number): ReadonlyArray<Reason> => {
  const name = String(index);
  if (['d', 'k', 'priv'].some((member) => Object.hasOwn(key, member))) {
    return [{ name, reason: 'must be a public key: it holds a secret' }];
  }
  if (!isOurs(key)) return [];
  return pipe(
    E.tryCatch(
      () => createPublicKey({ key, format: 'jwk' }),
      () => `is no ${String(key['kty'])} key`,
    ),
    E.filterOrElse(
      ({ asymmetricKeyDetails }) => (asymmetricKeyDetails?.modulusLength ?? SHORTEST_RSA_BITS) >= SHORTEST_RSA_BITS,
      () => `must have at least ${SHORTEST_RSA_BITS} bits`,
    ),
    E.match(
      (reason) => [{ name, reason }],
      () => [],
    ),
  );
};
