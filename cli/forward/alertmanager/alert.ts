import { pathToRoot, type NodeTree } from '../../../process/files/hierarchy-file';
import { quantity } from '../../table';
import { statusNames } from '../../../workflows/domain/alarm/status';
import { partKeyOf, type Alarm, type EndedAlarm } from './alarms';
import { changesLine, type Changes } from '../../changes';
import type { Silence } from './silence';

/** An alert as `POST /api/v2/alerts` of Alertmanager takes it. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** The labels and the link that every alert of a node has. */
export interface AboutNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly link: string;
}

/** Values of the label `alertname`: an alarm of a node, a node without measurements, a stream without events. */
export const alertNames = {
  alarm: 'PointAlarm',
  silent: 'PointAlarmSilent',
  streamSilent: 'PointAlarmStreamSilent',
} as const;

/** Names of the labels that alerts have besides those from the hierarchy. */
const OWN_LABELS: ReadonlyArray<string> = ['alertname', 'node', 'part', 'severity', 'label'];

/** The alert of an alarm. An alarm without an end lasts until `lastsUntil` (epoch ms), unless it is sent again. */
export const alertOf = (
  nodeId: string,
  alarm: Alarm | EndedAlarm,
  { labels, link }: AboutNode,
  lastsUntil: number,
  { changes, now }: { readonly changes: Changes; readonly now: number },
): Alert => {
  const changedAt = changes[partKeyOf(alarm)];
  const { part, label = '', severity, startsAt, measurement, value, unit, limits } = alarm;
  return {
    labels: { ...labels, alertname: alertNames.alarm, node: nodeId, part, severity, ...(label !== '' && { label }) },
    annotations: {
      summary: `${label === '' ? part : `${part} (${label})`} is in ${severity.toUpperCase()}`,
      ...(value !== undefined && { value: quantity(value, unit) }),
      ...(limits !== undefined && { limits }),
      ...(measurement !== undefined && { measurement }),
      ...(changedAt !== undefined && { changes: changesLine(changedAt, now) }),
      link,
    },
    startsAt: instant(startsAt),
    endsAt: endOf(alarm, lastsUntil),
    generatorURL: link,
  };
};

const instant = (ms: number): string => new Date(ms).toISOString();

/** The end of an alert. Alertmanager refuses an end before the begin, and the begin may lie ahead of the forwarder's clock. */
const endOf = (
  { startsAt, endsAt }: { readonly startsAt: number; readonly endsAt?: number },
  lastsUntil: number,
): string => instant(endsAt ?? Math.max(startsAt, lastsUntil));

/** The alert of a silent node. A silence without an end lasts until `lastsUntil` (epoch ms), unless it is sent again. */
export const silenceAlert = (
  nodeId: string,
  silence: Silence,
  { labels, link }: AboutNode,
  lastsUntil: number,
): Alert => {
  const { since, status, startsAt } = silence;
  return {
    labels: { ...labels, alertname: alertNames.silent, node: nodeId },
    annotations: {
      summary: `no measurement since ${instant(since)}, then ${statusNames[status] ?? status}`,
      since: instant(since),
      status: statusNames[status] ?? String(status),
      link,
    },
    startsAt: instant(startsAt),
    endsAt: endOf(silence, lastsUntil),
    generatorURL: link,
  };
};

/** The alert of a stream that is silent. */
export const streamAlert = (stream: string, { since, ...silence }: Silence, lastsUntil: number): Alert => ({
  labels: { alertname: alertNames.streamSilent, stream },
  annotations: { summary: `no event of any node since ${instant(since)}`, since: instant(since) },
  startsAt: instant(silence.startsAt),
  endsAt: endOf(silence, lastsUntil),
});

/**
 * The labels of a node from the hierarchy. The node and each of its ancestors give a label: the type is the label's name, and
 * the name (or else the id) is the value. If two of them have the same type, the one nearer to the node counts.
 */
export const hierarchyLabels = (tree: NodeTree, nodeId: string): Readonly<Record<string, string>> => {
  const labels = new Map<string, string>();
  for (const at of pathToRoot(tree, nodeId))
    if (!labels.has(labelOf(at.type))) labels.set(labelOf(at.type), at.name ?? at.id);
  return Object.fromEntries(labels);
};

/** The faults of the hierarchy's types: several types that give the same label, or a type whose label alerts have already. */
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
