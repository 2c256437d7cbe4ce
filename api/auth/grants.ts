import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type Action, actions, type Authorizer, type Permission } from '../ports';
import * as c from '../../workflows/domain/codecs';
import type { Log } from '../../process/log';
import type { NodeHierarchy } from './hierarchy';
import { jsonDocument } from '../../process/json';
import { watchFile } from '../../process/files/watched-file';

/** Allows a user, or every user (`*`), some actions on a node and all nodes below it, or on every node (`*`). */
export type Grant = c.TypeOf<typeof grant>;

/** The granted nodes for each user and action. */
type GrantIndex = ReadonlyMap<string, ReadonlyMap<Action, ReadonlySet<string>>>;

/**
 * The permissions of `wanted` that no grant to the user or to `*` covers, in the same order. Any grant of an action covers that
 * action on the resource `*` (spec, "Authentication"; docs/contributing/decisions.md, "Authentication and permissions").
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

/** Indexes the grants by user and action, so that a decision reads only the grants to its user and to every user. */
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

/** User ids that are UUIDs match in upper and lower case; other ids match exactly. */
const userKey = (userId: string): string => (c.isUuid(userId) ? userId.toLowerCase() : userId);

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

/** Decodes `{"grants": [{"user": id or "*", "actions": [action or "*"], "node": UUID or "*"}]}` to an index. */
export const grantsFile: c.Codec<GrantIndex> = c.mapped(
  c.object('grants', { grants: c.array(grant, MOST_GRANTS) }),
  ({ grants }) => indexGrants(grants),
);

/** Creates an authorizer from a grants file, which is re-read when it changes. Left, in one line: why the file is refused. */
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
