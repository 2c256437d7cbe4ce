import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import { counter } from '../../process/metrics';
import type { Authorizer, Outage, Permission } from '../ports';
import type { Ask } from './pdp';

/** A cached decision. `askedAt`: time of the request, by performance.now. */
interface Decided {
  readonly askedAt: number;
  readonly decision: boolean;
}

/** A decision in flight. */
interface InFlight {
  readonly askedAt: number;
  readonly answer: Promise<E.Either<Outage, ReadonlyMap<string, boolean>>>;
}

const MOST_KEPT = 50_000;

/**
 * `ask` with a cache: a decision holds for `keepMs` from its request, and a request in flight is shared within that time.
 * So no call relies on an older decision. Failures are not cached.
 */
export const createKeptDecisions = (ask: Ask, keepMs: number, registry: Registry): Authorizer['violations'] => {
  const taken = counter(registry, 'point_alarm_decisions_total');
  const kept = new LRUCache<string, Decided>({ max: MOST_KEPT });
  const inFlight = new Map<string, InFlight>();

  const keep = (key: string, decided: Decided): void => {
    if ((kept.peek(key)?.askedAt ?? -Infinity) < decided.askedAt) kept.set(key, decided);
  };

  const begin = (userId: string, wanted: ReadonlyMap<string, Permission>, askedAt: number): InFlight => {
    const keys = [...wanted.keys()];
    const answer = pipe(
      ask(userId, [...wanted.values()]),
      TE.map((decisions) => new Map(keys.map((key, index) => [key, decisions[index] === true]))),
    )().then((answered) => {
      for (const key of keys) if (inFlight.get(key) === asked) inFlight.delete(key);
      if (E.isRight(answered)) answered.right.forEach((decision, key) => keep(key, { askedAt, decision }));
      return answered;
    });
    const asked = { askedAt, answer };
    for (const key of keys) inFlight.set(key, asked);
    return asked;
  };

  return (userId, wanted) => async () => {
    const now = performance.now();
    const isFresh = ({ askedAt }: { readonly askedAt: number }): boolean => now - askedAt < keepMs;
    const sources = new Map<string, Decided | InFlight>();
    const unknown = new Map<string, Permission>();
    for (const permission of wanted) {
      const key = keyOf(userId, permission);
      const known = [kept.get(key), inFlight.get(key)].find((one) => one !== undefined && isFresh(one));
      if (known === undefined) unknown.set(key, permission);
      else sources.set(key, known);
      taken(1, { source: known === undefined ? 'asked' : 'decision' in known ? 'kept' : 'shared' });
    }
    if (unknown.size > 0) {
      const asked = begin(userId, unknown, now);
      for (const key of unknown.keys()) sources.set(key, asked);
    }
    const lacking: Permission[] = [];
    for (const permission of wanted) {
      const key = keyOf(userId, permission);
      const decision = await decisionOf(key, sources.get(key));
      if (E.isLeft(decision)) return decision;
      if (!decision.right) lacking.push(permission);
    }
    return E.right(lacking);
  };
};

/** Neither an action nor a resource has a space in it. */
const keyOf = (userId: string, { action, resource }: Permission): string => `${action} ${resource} ${userId}`;

const decisionOf = async (key: string, source: Decided | InFlight | undefined): Promise<E.Either<Outage, boolean>> => {
  if (source === undefined) return E.right(false);
  if ('decision' in source) return E.right(source.decision);
  return pipe(
    await source.answer,
    E.map((decisions) => decisions.get(key) === true),
  );
};
