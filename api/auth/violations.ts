import { actions, type Action, type Permission } from '../ports';

/** The actions of a user (`*`: every user) on a node and all below it (`*`: on every node). */
export interface Grant {
  readonly user: string;
  readonly actions: ReadonlyArray<Action | '*'>;
  readonly node: string;
}

/** By user, by action: the nodes granted. */
export type GrantIndex = ReadonlyMap<string, ActionIndex>;
type ActionIndex = ReadonlyMap<Action, ReadonlySet<string>>;

/**
 * The permissions of `wanted` that no grant of the user, or of `*`, covers; in their order.
 *
 * A grant covers its node and the nodes below it. The resource `*` is given by any grant of the action, whatever its node.
 * Source: spec, "Authentication"; docs/decisions.md, "grants".
 */
export const violations = (
  index: GrantIndex,
  parentOf: (nodeId: string) => string | undefined,
  userId: string,
  wanted: ReadonlyArray<Permission>,
): ReadonlyArray<Permission> => {
  const held = [index.get(userKey(userId)), index.get('*')];
  return wanted.filter(({ action, resource }) => !held.some((given) => covers(given?.get(action), parentOf, resource)));
};

/** The grants by user and action, so that a decision reads only those of its user. */
export const indexGrants = (grants: ReadonlyArray<Grant>): GrantIndex => {
  const index = new Map<string, Map<Action, Set<string>>>();
  for (const { user, actions: granted, node } of grants) {
    const ofUser = entry(index, userKey(user), () => new Map<Action, Set<string>>());
    for (const action of granted.includes('*') ? actions : actions.filter((known) => granted.includes(known))) {
      entry(ofUser, action, () => new Set<string>()).add(node);
    }
  }
  return index;
};

const covers = (
  nodes: ReadonlySet<string> | undefined,
  parentOf: (nodeId: string) => string | undefined,
  resource: string,
): boolean => {
  if (nodes === undefined) return false;
  if (resource === '*' || nodes.has('*')) return true;
  for (let node: string | undefined = resource; node !== undefined; node = parentOf(node)) {
    if (nodes.has(node)) return true;
  }
  return false;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** A UUID is the same user in either case; other texts are compared as they are. */
const userKey = (userId: string): string => (UUID.test(userId) ? userId.toLowerCase() : userId);

const entry = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
};
