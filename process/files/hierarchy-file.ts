import {
  array,
  mapped,
  object,
  refine,
  text,
  uuid,
  type Codec,
  type Reason,
  type TypeOf,
} from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';

/** Its name is what people call it; alerts tell it. */
const node = object('node', { id: uuid, type: text(64, 1) }, { parent: uuid, name: text(hardLimits.textLength, 1) });
type HierarchyNode = TypeOf<typeof node>;

export type NodeTree = ReadonlyMap<string, HierarchyNode>;

const MOST_NODES = 1_000_000;
const nodes = array(node, MOST_NODES);

/** `{"nodes": [{"id", "parent"?, "type", "name"?}]}` in any order: ids are unique, every parent exists, no node is its own ancestor. */
export const hierarchyFile: Codec<NodeTree> = mapped(
  refine(object('hierarchy', { nodes }, {}), (file) => faultsOf(file.nodes)),
  (file) => byId(file.nodes),
);

const byId = (listed: ReadonlyArray<HierarchyNode>): NodeTree => new Map(listed.map((node) => [node.id, node]));

const faultsOf = (listed: ReadonlyArray<HierarchyNode>): ReadonlyArray<Reason> => {
  const tree = byId(listed);
  const indexOf = new Map(listed.map(({ id }, index) => [id, index]));
  const twice = listed.flatMap(({ id }, index) =>
    indexOf.get(id) === index ? [] : [{ name: `nodes.${index}.id`, reason: 'must be unique among the nodes' }],
  );
  const orphans = listed.flatMap(({ parent }, index) =>
    parent === undefined || tree.has(parent)
      ? []
      : [{ name: `nodes.${index}.parent`, reason: 'must be the id of a node' }],
  );
  const circles = inCircles(tree).map((id) => ({
    name: `nodes.${indexOf.get(id)}.parent`,
    reason: 'must not be a descendant of the node, or the node itself',
  }));
  return [...twice, ...orphans, ...circles];
};

/** One node of each cycle. Every node is visited once: a walk ends where it meets an earlier one. */
const inCircles = (tree: NodeTree): ReadonlyArray<string> => {
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
