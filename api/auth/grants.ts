import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type Action, actions, type Authorizer, type Permission } from '../ports';
import * as c from '../../workflows/domain/codecs';
import type { Log } from '../../process/log';
import type { NodeHierarchy } from './hierarchy';
import { jsonDocument } from '../../process/json';
import { watchFile } from '../../process/files/watched-file';

/** The actions of a user (`*`: every user) on a node and all below it (`*`: on every node). */
export type Grant = c.TypeOf<typeof grant>;

/** By user, by action: the nodes granted. */
type GrantIndex = ReadonlyMap<string, ReadonlyMap<Action, ReadonlySet<string>>>;

/**
 * The permissions of `wanted` that no grant of the user, or of `*`, covers; in their order. The resource `*` is given by any grant
 * of the action (spec, "Authentication"; docs/contributing/decisions.md, "Authentication and permissions").
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
    const key = userKey(user);
    const ofUser = index.get(key) ?? new Map<Action, Set<string>>();
    index.set(key, ofUser);
    for (const action of granted.includes('*') ? actions : actions.filter((known) => granted.includes(known)))
      ofUser.set(action, (ofUser.get(action) ?? new Set<string>()).add(node));
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

const MOST_GRANTS = 1_000_000;

const everyNode = c.oneOf('every node', ['*']);
const nodeOrEvery: c.Codec<string> = c.codec('node', {}, (input, context) =>
  (input === '*' ? everyNode : c.uuid).validate(input, context),
);
const grant = c.object('grant', {
  user: c.UserId,
  actions: c.array(c.oneOf('action', [...actions, '*']), 100),
  node: nodeOrEvery,
});

/** `{"grants": [{"user": user id or "*", "actions": [action or "*"], "node": UUID or "*"}]}`, indexed. */
export const grantsFile: c.Codec<GrantIndex> = c.mapped(
  c.object('grants', { grants: c.array(grant, MOST_GRANTS) }),
  ({ grants }) => indexGrants(grants),
);

/** Decides by the grants of a file, re-read when it changes. Left: the file cannot be read, or does not hold grants; one line. */
export const createGrants = (
  path: string,
  { parentOf }: Pick<NodeHierarchy, 'parentOf'>,
  log: Log,
): E.Either<string, Authorizer & { readonly close: () => void }> =>
  pipe(
    watchFile({ setting: 'GRANTS_FILE', path, read: jsonDocument(grantsFile), log }),
    E.map(({ current, close }) => ({
      violations: (userId, wanted) => TE.fromIO(() => violations(current(), parentOf, userId, wanted)),
      close,
    })),
  );
