import type { NodeTree } from '../../../process/files/hierarchy-file';

/**
 * The labels of a node from the hierarchy: of each node on its way to the root, itself included, the type is the label and the
 * name, or else the id, the value. Of two ancestors of one type the nearer counts.
 */
export const hierarchyLabels = (tree: NodeTree, nodeId: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {};
  for (let at = tree.get(nodeId); at !== undefined; at = at.parent === undefined ? undefined : tree.get(at.parent))
    labels[labelOf(at.type)] ??= at.name ?? at.id;
  return labels;
};

/** A type as the name of a label: letters, digits and underscores, no digit first. */
const labelOf = (type: string): string => type.replaceAll(/[^a-zA-Z0-9_]/gu, '_').replace(/^(?=\d)/u, '_');
