import { createPublicKey } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import type { JWK } from 'jose';
import type { Log } from '../../process/log';
import { jsonDocument } from '../../process/json';
import * as c from '../../workflows/domain/codecs';

/** The signature algorithms that tokens may have, for each kind of key: RSA, or the name of the curve. All are asymmetric. */
const algorithmsByKind: ReadonlyMap<unknown, ReadonlyArray<string>> = new Map([
  ['RSA', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
  ['P-256', ['ES256']],
  ['P-384', ['ES384']],
  ['P-521', ['ES512']],
  ['Ed25519', ['EdDSA', 'Ed25519']],
]);

export const signingAlgorithms: ReadonlyArray<string> = [...algorithmsByKind.values()].flat();

const KEY_BYTES = 64 * 1_024;
const MOST_KEYS = 100;
const SHORTEST_RSA_BITS = 2_048;

/** Creates a reader of key sets. It logs an ignored key once. Left: no key set, no key to verify with, or a secret key. */
export const createKeySetReader = (log: Log): ((text: string) => E.Either<string, ReadonlyArray<JWK>>) => {
  let logged: ReadonlySet<string> = new Set();
  return (text) =>
    pipe(
      jsonDocument(jwks)(text),
      E.map(({ keys, ignored }) => {
        const before = logged;
        logged = new Set(ignored.map((one) => JSON.stringify(one)));
        for (const one of ignored)
          if (!before.has(JSON.stringify(one))) log.warn(one, 'a key of the key set is ignored');
        return keys;
      }),
    );
};

const anything: c.Codec<unknown> = c.codec('key', {}, t.success);

/**
 * The keys that verify signatures. `ignored`: the faulty keys, which RFC 7517 asks to ignore, each with its id (or else its
 * index) and the fault. Left: a key holds a secret, or no key verifies signatures.
 */
const keys = c.chained(c.array(anything, MOST_KEYS), (listed) => {
  const secrets = listed.flatMap((key, index) => (holdsSecret(key) ? [at(index, SECRET)] : []));
  if (secrets.length > 0) return E.left(secrets);
  const read = listed.map((key) => (isOfOtherUse(key) ? E.right(undefined) : verificationKey(key)));
  const usable = read.flatMap((key) => (E.isRight(key) && key.right !== undefined ? [key.right] : []));
  const faults = read.flatMap((key, index) => (E.isLeft(key) ? [at(index, key.left)] : []));
  if (usable.length === 0) return E.left(faults.length > 0 ? faults : [NO_KEY]);
  return E.right({
    keys: usable,
    ignored: faults.map(({ name, reason }) => ({ key: idOf(listed[Number(name)]) ?? `keys.${name}`, reason })),
  });
});

const SECRET = 'must be a public key: it holds a secret';
const NO_KEY: c.Reason = { name: '', reason: 'must hold a public key that verifies signatures' };

const at = (index: number, reason: string): c.Reason => ({ name: String(index), reason });

const idOf = (key: unknown): string | undefined =>
  c.isRecord(key) && typeof key['kid'] === 'string' ? key['kid'].slice(0, 256) : undefined;

/** Decodes a key set. Members other than `keys` are ignored. */
const jwks: typeof keys = c.codec('key set', { type: 'object' }, (input, context) =>
  c.isRecord(input)
    ? keys.validate(input['keys'], c.contextBelow(context, 'keys'))
    : t.failures([c.validationError(input, context, 'must be an object')]),
);

/** The member that holds the secret, or the private key, for each type of key (`kty`). */
const secretMembers: ReadonlyMap<unknown, string> = new Map([
  ['oct', 'k'],
  ['RSA', 'd'],
  ['EC', 'd'],
  ['OKP', 'd'],
  ['AKP', 'priv'],
]);

const holdsSecret = (key: unknown): boolean =>
  c.isRecord(key) && Object.hasOwn(key, secretMembers.get(key['kty']) ?? '');

const isOfOtherUse = (key: unknown): boolean =>
  c.isRecord(key) &&
  ((key['use'] !== undefined && key['use'] !== 'sig') ||
    (Array.isArray(key['key_ops']) && !key['key_ops'].includes('verify')));

/** The key, reduced to what verification needs, as other members could make verification fail. Left: why it is unusable. */
const verificationKey = (input: unknown): E.Either<string, JWK> => {
  const decoded = c.decode(c.openObject(KEY_BYTES), input);
  if (E.isLeft(decoded)) return E.left(decoded.left.map(({ reason }) => reason).join(', '));
  const { kty, crv, kid, alg } = decoded.right;
  const algorithms = algorithmsByKind.get(kty === 'RSA' ? kty : kty === 'EC' || kty === 'OKP' ? crv : undefined);
  if (algorithms === undefined) return E.left('is of a kind that is not taken here');
  if (alg !== undefined && !algorithms.some((known) => known === alg))
    return E.left('is for an algorithm that is not taken here');
  const read = E.tryCatch(
    () => createPublicKey({ key: decoded.right, format: 'jwk' }),
    () => `is no ${String(kty)} key`,
  );
  if (E.isLeft(read)) return read;
  const { modulusLength = SHORTEST_RSA_BITS, publicExponent = 3n } = read.right.asymmetricKeyDetails ?? {};
  if (modulusLength < SHORTEST_RSA_BITS) return E.left(`must have at least ${SHORTEST_RSA_BITS} bits`);
  if (publicExponent <= 1n || publicExponent % 2n === 0n) return E.left('must have an odd exponent above 1');
  return E.right({
    ...read.right.export({ format: 'jwk' }),
    ...(typeof kid === 'string' && { kid }),
    ...(typeof alg === 'string' && { alg }),
  });
};
