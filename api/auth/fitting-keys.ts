import { errors, type CryptoKey, type JWSHeaderParameters } from 'jose';
import type { KeyHint } from './key-set';

/** The keys that `select`, one of jose's key sets, has for `hint`. It rejects only when the set itself is unavailable. */
export const fittingKeys = async (
  select: (header: JWSHeaderParameters) => Promise<CryptoKey>,
  hint: KeyHint,
): Promise<ReadonlyArray<CryptoKey>> => {
  try {
    return [await select({ ...hint })];
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return all(error);
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JOSENotSupported) return [];
    throw error;
  }
};

const all = async (keys: AsyncIterable<CryptoKey>): Promise<ReadonlyArray<CryptoKey>> => {
  const found: CryptoKey[] = [];
  for await (const key of keys) found.push(key);
  return found;
};
