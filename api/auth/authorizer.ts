import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import type { Log } from '../../process/log';
import { counter } from '../../process/metrics';
import type { ApiSettings } from '../../process/settings';
import type { Authorizer, Outage, Permission } from '../ports';
import { createGrants } from './grants';
import type { NodeHierarchy } from './hierarchy';
import { type QueryPdp, createPdpQuery, createPdpPost } from './pdp';

type ClosableAuthorizer = Authorizer & { readonly close: () => void };

/** Creates an authorizer that reads grants from a file, or asks a policy decision point (PDP). Left: the fault of the file. */
export const createAuthorizer = (
  settings: ApiSettings,
  hierarchy: Pick<NodeHierarchy, 'parentOf'>,
  log: Log,
  registry: Registry,
): E.Either<string, ClosableAuthorizer> => {
  const { AUTHORIZER_URL, GRANTS_FILE = '' } = settings; // exactly one of the two is set
  return AUTHORIZER_URL === undefined
    ? createGrants(GRANTS_FILE, hierarchy, log)
    : E.right(createPdp(AUTHORIZER_URL, settings, log, registry));
};

/** Creates an authorizer that asks the PDP at `url`. The timeout of a request never exceeds the deadline of a call. */
export const createPdp = (url: string, settings: ApiSettings, log: Log, registry: Registry): ClosableAuthorizer => {
  const timeoutMs = Math.min(settings.AUTHORIZER_TIMEOUT_MS, settings.CALL_DEADLINE_MS);
  const { post, close } = createPdpPost(url, settings.AUTHORIZER_TOKEN, timeoutMs);
  const ask = createPdpQuery(post, registry, log);
  return { violations: createDecisionCache(ask, settings.AUTHORIZER_CACHE_MS, registry), close };
};

/** A decision of the PDP, which may still be pending. `askedAt`: when it was requested (ms of `performance.now()`). */
interface Decision {
  readonly askedAt: number;
  readonly answer: Promise<E.Either<Outage, boolean>>;
  isAnswered: boolean;
}

const MOST_KEPT = 50_000;

/** Caches the decisions of `ask`, also pending ones, for `keepMs` after they were requested. Failures are not cached. */
export const createDecisionCache = (ask: QueryPdp, keepMs: number, registry: Registry): Authorizer['violations'] => {
  const taken = counter(registry, 'point_alarm_decisions_total');
  const decisions = new LRUCache<string, Decision>({ max: MOST_KEPT });

  const request = (userId: string, wanted: ReadonlyMap<string, Permission>, askedAt: number): void => {
    const asked = ask(userId, [...wanted.values()])();
    [...wanted.keys()].forEach((key, index) => {
      const answer = asked.then(E.map((answers) => answers[index] === true));
      const decision: Decision = { askedAt, answer, isAnswered: false };
      decisions.set(key, decision);
      void answer.then((answered) => {
        decision.isAnswered = true;
        if (E.isLeft(answered) && decisions.peek(key) === decision) decisions.delete(key);
      });
    });
  };

  return (userId, wanted) => async () => {
    const now = performance.now();
    const keyed = wanted.map((permission) => [keyOf(userId, permission), permission] as const);
    const unknown = keyed.filter(([key]) => {
      const known = decisions.get(key);
      const isFresh = known !== undefined && now - known.askedAt < keepMs;
      taken(1, { source: !isFresh ? 'asked' : known.isAnswered ? 'kept' : 'shared' });
      return !isFresh;
    });
    if (unknown.length > 0) request(userId, new Map(unknown), now);
    const pending = keyed.map(([key, permission]) => [decisions.get(key)?.answer, permission] as const);
    const lacking: Permission[] = [];
    for (const [asked, permission] of pending) {
      const answer = await asked;
      if (answer !== undefined && E.isLeft(answer)) return answer;
      if (answer?.right !== true) lacking.push(permission);
    }
    return E.right(lacking);
  };
};

/** A permission's key in the cache. Spaces keep keys distinct, because neither an action nor a resource contains a space. */
const keyOf = (userId: string, { action, resource }: Permission): string => `${action} ${resource} ${userId}`;
