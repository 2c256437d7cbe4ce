import * as c from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';

/** A node of the hierarchy. Alerts show its `name`, which is meant for people. */
const node = c.object(
  'node',
  { id: c.uuid, type: c.text(64, 1) },
  { parent: c.uuid, name: c.text(hardLimits.textLength, 1) },
);
type HierarchyNode = c.TypeOf<typeof node>;

export type NodeTree = ReadonlyMap<string, HierarchyNode>;

const MOST_NODES = 1_000_000;
const nodes = c.array(node, MOST_NODES);

/**
 * The hierarchy file: `{"nodes": [{"id", "parent"?, "type", "name"?}]}`. The nodes may have any order. Ids must be unique,
 * parents must be in the file, and no node may be its own ancestor.
 */
export const hierarchyFile: c.Codec<NodeTree> = c.mapped(
  c.refine(c.object('hierarchy', { nodes }, {}), (file) => faultsOf(file.nodes)),
  (file) => byId(file.nodes),
);

const byId = (listed: ReadonlyArray<HierarchyNode>): NodeTree => new Map(listed.map((node) => [node.id, node]));

const faultsOf = (listed: ReadonlyArray<HierarchyNode>): c.Reasons => {
  const tree = byId(listed);
  const indexOf = new Map(listed.map(({ id }, index) => [id, index]));
  const twice = listed.flatMap(({ id }, index) =>
    c.reasonIf(indexOf.get(id) !== index, `nodes.${index}.id`, 'must be unique among the nodes'),
  );
  const orphans = listed.flatMap(({ parent }, index) =>
    c.reasonIf(parent !== undefined && !tree.has(parent), `nodes.${index}.parent`, 'must be the id of a node'),
  );
  const circles = nodesInCycles(tree).map((id) => ({
    name: `nodes.${indexOf.get(id)}.parent`,
    reason: 'must not be a descendant of the node, or the node itself',
  }));
  return [...twice, ...orphans, ...circles];
};

/** A node and its ancestors, the nearest first; empty if the node is not in the tree. */
export const pathToRoot = (tree: NodeTree, nodeId: string): ReadonlyArray<HierarchyNode> => {
  const way: HierarchyNode[] = [];
  for (let at = tree.get(nodeId); at !== undefined; at = at.parent === undefined ? undefined : tree.get(at.parent))
    way.push(at);
  return way;
};

/** One node of each cycle of parents. A walk ends where it meets an earlier walk, so every node is visited once. */
const nodesInCycles = (tree: NodeTree): ReadonlyArray<string> => {
  const walkOf = new Map<string, string>();
  const found: string[] = [];
  for (const start of tree.keys()) {
    let at: string | undefined = start;
    while (at !== undefined && !walkOf.has(at)) {
      walkOf.set(at, start);
      at = tree.get(at)?.parent;
    }
    if (at !== undefined && walkOf.get(at) === start) found.push(at);
  }
  return found;
};
