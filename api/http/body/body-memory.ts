import * as E from 'fp-ts/Either';
import { problem, type Problem } from '../problems/problem';

/** The reserved memory of the body of one call. */
export interface Reservation {
  /**
   * Reserves more bytes, until the release.
   *
   * Errors: 429 for a user above the quota where the rest is taken or kept for others; 503 within the quota where none is left.
   */
  readonly take: (bytes: number) => E.Either<Problem, void>;
  readonly release: () => void;
}

/** The reservations of one user. */
interface Account {
  held: number;
  /** Peak demand of the user in bytes, at most a quota. */
  wanted: number;
  /** Time of that peak (ms). */
  wantedAt: number;
}

/** Number of quotas in the budget; each user has one. */
const QUOTAS = 4;

/** Time (ms) for which a demand counts: longer than callers pause between two tries. */
const WANT_MS = 60_000;

/** `Retry-After` in seconds. */
const RETRY_AFTER = { 'Retry-After': '1' };

/**
 * The memory budget of bodies: at most `most` bytes for all calls in flight. The largest body on every connection would not
 * fit into memory. A user within the quota takes whatever is free. A user above it leaves free what others demanded within
 * the last minute, at least one quota, unless there were no others.
 *
 * `now` is a clock in ms that never goes back.
 */
export const createBodyMemory = (
  most: number,
  now: () => number = () => performance.now(),
): ((userId: string) => Reservation) => {
  const quota = most / QUOTAS;
  const accounts = new Map<string, Account>(); // least recent demand first
  let all = 0;

  const isFresh = ({ wantedAt }: Account, at: number): boolean => at - wantedAt <= WANT_MS;
  const record = (account: Account, wanted: number): void => {
    if (wanted < account.wanted && isFresh(account, now())) return;
    account.wanted = Math.min(quota, wanted);
    account.wantedAt = now();
  };
  const accountOf = (userId: string): Account => {
    const account = accounts.get(userId) ?? { held: 0, wanted: 0, wantedAt: now() };
    accounts.delete(userId);
    for (const [id, oldest] of accounts) {
      if (oldest.held > 0 || isFresh(oldest, now())) break;
      accounts.delete(id);
    }
    accounts.set(userId, account);
    return account;
  };
  const keptFromUser = (account: Account): number => {
    const at = now();
    let isAlone = true;
    let claims = 0;
    for (const other of accounts.values()) {
      if (other === account || (other.held === 0 && !isFresh(other, at))) continue;
      isAlone = false;
      if (isFresh(other, at)) claims += Math.max(0, other.wanted - other.held);
    }
    return isAlone ? 0 : Math.max(quota, claims);
  };

  const refusalOf = (account: Account, bytes: number): Problem | undefined => {
    const free = most - all;
    if (account.held + bytes > quota) return bytes > free - keptFromUser(account) ? beyondQuota : undefined;
    return bytes > free ? noneLeft : undefined;
  };

  return (userId) => {
    let taken = 0;
    return {
      take: (bytes) => {
        const account = accountOf(userId);
        const refusal = refusalOf(account, bytes);
        record(account, refusal === noneLeft ? quota : account.held + bytes);
        if (refusal !== undefined) return E.left(refusal);
        account.held += bytes;
        all += bytes;
        taken += bytes;
        return E.right(undefined);
      },
      release: () => {
        const account = accounts.get(userId);
        if (account !== undefined) account.held -= taken;
        all -= taken;
        taken = 0;
      },
    };
  };
};

const beyondQuota = problem(
  'too-many-requests',
  "The bodies of the user's calls in flight fill the memory that is not kept for others. Nothing was changed.",
  {},
  RETRY_AFTER,
);
const noneLeft = problem(
  'unavailable',
  'The bodies of all calls in flight fill the memory that they have.',
  { mayHaveChanged: false },
  RETRY_AFTER,
);
