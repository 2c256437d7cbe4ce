import { createHash } from 'node:crypto';
import type { Verified } from './verify-token';

/** A cache of verified tokens, so that a caller's next calls need no signature check. */
export interface VerifiedTokens {
  readonly userOf: (token: string, keySetVersion: number | undefined, now: number) => string | undefined;
  readonly keep: (token: string, verified: Verified, keySetVersion: number | undefined, now: number) => void;
}

interface Entry {
  readonly userId: string;
  readonly until: number;
  readonly keySetVersion: number;
}

const LONGEST_MS = 60_000;

/**
 * At most `most` tokens, the oldest evicted first; each for a minute, at most until its expiry or a change of the key
 * set. Times are epoch ms. Only digests of tokens are kept.
 */
export const createVerifiedTokens = (most = 10_000): VerifiedTokens => {
  const entries = new Map<string, Entry>();
  return {
    userOf: (token, keySetVersion, now) => {
      const found = entries.get(digest(token));
      return found !== undefined && found.keySetVersion === keySetVersion && now < found.until
        ? found.userId
        : undefined;
    },
    keep: (token, { userId, expiresAt = Infinity }, keySetVersion, now) => {
      if (keySetVersion === undefined) return;
      const key = digest(token);
      entries.delete(key);
      entries.set(key, { userId, until: Math.min(expiresAt, now + LONGEST_MS), keySetVersion });
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
};

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
