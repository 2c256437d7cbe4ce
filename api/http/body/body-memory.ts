import * as E from 'fp-ts/Either';
import { problem, type Problem } from '../problems/problem';

/** The memory that the body of one call reserves. */
export interface Reservation {
  /**
   * Reserves so many bytes more, until the release.
   *
   * Errors: 429 where the user holds more than a quota and the rest is taken or kept for others; 503 within the quota, where none is left.
   */
  readonly take: (bytes: number) => E.Either<Problem, void>;
  readonly release: () => void;
}

/** What one user has reserved. */
interface Account {
  held: number;
  /** The most that the user held or asked for at once, at most a quota. */
  wanted: number;
  /** When that was (ms). */
  wantedAt: number;
}

/** Quotas that the budget is divided into; each user has one. */
const QUOTAS = 4;

/** How long a user's want counts after it was seen: longer than callers pause between two tries. */
const WANT_MS = 60_000;

/** Seconds after which another try is worth it. */
const RETRY_AFTER = { 'Retry-After': '1' };

/**
 * The memory budget of bodies: bounds the bytes that all calls in flight have sent, by `most`: as many connections as there may be, each
 * with the largest body, would not fit into memory. A user within the quota takes whatever is free. One beyond it leaves free
 * what others wanted within the last minute, and a quota at least, unless there were no others.
 *
 * `now` is a clock in ms that never goes back.
 */
export const createBodyMemory = (
  most: number,
  now: () => number = () => performance.now(),
): ((userId: string) => Reservation) => {
  const quota = most / QUOTAS;
  const accounts = new Map<string, Account>(); // who asked last is last
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
