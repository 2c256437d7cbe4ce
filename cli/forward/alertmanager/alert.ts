import type { NodeTree } from '../../../process/files/hierarchy-file';
import { quantity } from '../../table';
import type { Alarm, EndedAlarm } from './alarms';

/** An alert as `POST /api/v2/alerts` of Alertmanager takes it. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
}

/** What alerts hold of a node beside its alarms. */
export interface AboutNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly link: string;
}

/** The labels of an alert beside those from the hierarchy. */
const OWN_LABELS: ReadonlyArray<string> = ['alertname', 'node', 'part', 'severity', 'label'];

/** The alert of an alarm; without its end it lasts until `lastsUntil` (epoch ms), unless it is sent again. */
export const alertOf = (
  nodeId: string,
  alarm: Alarm | EndedAlarm,
  { labels, link }: AboutNode,
  lastsUntil: number,
): Alert => {
  const { part, label = '', severity, startsAt, measurement, value, unit, limits } = alarm;
  return {
    labels: { ...labels, alertname: 'PointAlarm', node: nodeId, part, severity, ...(label !== '' && { label }) },
    annotations: {
      summary: `${label === '' ? part : `${part} (${label})`} is in ${severity.toUpperCase()}`,
      ...(value !== undefined && { value: quantity(value, unit) }),
      ...(limits !== undefined && { limits }),
      ...(measurement !== undefined && { measurement }),
      link,
    },
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date('endsAt' in alarm ? alarm.endsAt : lastsUntil).toISOString(),
    generatorURL: link,
  };
};

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

/** The faults of types that are the same as labels: one would take the place of the other. */
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
