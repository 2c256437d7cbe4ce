import type { NodeTree } from '../../../process/files/hierarchy-file';
import { OWN_LABELS } from './alert';

/**
 * The labels of a node from the hierarchy: of each node on its way to the root, itself included, the type is the label and the
 * name, or else the id, the value. Of two ancestors of one type the nearer counts.
 */
export const hierarchyLabels = (tree: NodeTree, nodeId: string): Readonly<Record<string, string>> => {
  const labels = new Map<string, string>();
  for (let at = tree.get(nodeId); at !== undefined; at = at.parent === undefined ? undefined : tree.get(at.parent))
    if (!labels.has(labelOf(at.type))) labels.set(labelOf(at.type), at.name ?? at.id);
  return Object.fromEntries(labels);
};

/** What is wrong with types that cannot be told apart as labels: one would take the place of the other. */
export const foldedTypes = (tree: NodeTree): ReadonlyArray<string> => {
  const typesOf = new Map<string, string[]>();
  for (const type of new Set([...tree.values()].map((node) => node.type)))
    typesOf.set(labelOf(type), [...(typesOf.get(labelOf(type)) ?? []), JSON.stringify(type)]);
  return [...typesOf].flatMap(([label, types]) => [
    ...(types.length > 1 ? [`the types ${types.join(', ')} are all the label ${label}`] : []),
    ...(OWN_LABELS.includes(label)
      ? [`the type ${types.join(', ')} is the label ${label}, which alerts have already`]
      : []),
  ]);
};

/**
 * A type as the name of a label: letters, digits and underscores, no digit first. Letters beyond ASCII are escaped as
 * Prometheus does it ("values encoding escaping"), so that types in other scripts stay apart.
 */
const labelOf = (type: string): string =>
  ASCII.test(type) ? type.replaceAll(/\W/gu, '_').replace(/^(?=\d)/u, '_') : `U__${type.replaceAll(/\W|_/gu, escaped)}`;

const ASCII = /^[\0-\x7f]*$/u;

const escaped = (character: string): string =>
  character === '_' ? '__' : `_${(character.codePointAt(0) ?? 0).toString(16)}_`;
