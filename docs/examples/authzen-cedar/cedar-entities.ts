import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';

/** A tree of nodes as in HIERARCHY_FILE. */
export interface HierarchyFile {
  readonly nodes: ReadonlyArray<{ readonly id: string; readonly parent?: string | null }>;
}

/** The parent of each node that has one. */
export type Parents = ReadonlyMap<string, string>;

export const parentsIn = ({ nodes }: HierarchyFile): Parents =>
  new Map(nodes.flatMap(({ id, parent }) => (typeof parent === 'string' ? [[sameCase(id), sameCase(parent)]] : [])));

export const EVERYBODY: TypeAndId = { type: 'Everybody', id: '*' };
export const ROOT: TypeAndId = { type: 'Node', id: '*' };

/** What AuthZEN calls a subject or a resource, as Cedar knows it; undefined where it is nothing of ours. */
export const entityOf = ({ type, id }: TypeAndId): TypeAndId | undefined => {
  const known = { user: 'User', node: 'Node', service: 'Service' }[type];
  return known === undefined ? undefined : { type: known, id: sameCase(id) };
};

/** The entities that a decision is about: the user, and the node with all that are above it. */
export const entitiesOf = (user: TypeAndId, resource: TypeAndId, parents: Parents): EntityJson[] => {
  const entities: EntityJson[] = [{ uid: user, attrs: {}, parents: [EVERYBODY] }];
  if (resource.type !== 'Node') return [...entities, { uid: resource, attrs: {}, parents: [] }];
  for (let id: string | undefined = resource.id; id !== undefined; id = parents.get(id)) {
    const parent = parents.get(id);
    entities.push({
      uid: { type: 'Node', id },
      attrs: {},
      parents: [parent === undefined ? ROOT : { type: 'Node', id: parent }],
    });
  }
  return entities;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** A UUID is the same in either case; any other text is what it is. */
export const sameCase = (id: string): string => (UUID.test(id) ? id.toLowerCase() : id);
