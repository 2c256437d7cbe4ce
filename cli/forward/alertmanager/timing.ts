import { InvalidArgumentError } from 'commander';
import { pathToRoot, type NodeTree } from '../../../process/files/hierarchy-file';
import { MONTH_MS, timeFrom } from '../../arguments';
import { unusable } from '../../failure';
import { noDelays, severities, type Delays, type Severity } from './alarms';
import type { NodeTiming } from './handle-event';

/** A duration (ms) for `name`, a severity or a type of node. Without a name, it is for all that no other duration names. */
interface NamedDuration {
  readonly name?: string;
  readonly ms: number;
}

export type Durations = ReadonlyArray<NamedDuration>;

const LEAST_SILENT_MS = 2_000;

/** Parses `10m`, or `danger=10m` for one name. The option may be repeated, with each name once. */
const durationsFrom =
  (leastMs: number) =>
  (text: string, before: Durations = []): Durations => {
    const [, name, duration = ''] = /^(?:(.*)=)?([^=]*)$/su.exec(text) ?? [];
    const ms = timeFrom(leastMs, MONTH_MS)(duration);
    if (before.some((other) => other.name === name))
      throw new InvalidArgumentError(name === undefined ? 'It is given twice.' : `${name} is given twice.`);
    return [...before, { ms, ...(name !== undefined && { name }) }];
  };

export const delays = durationsFrom(0);
export const silences = durationsFrom(LEAST_SILENT_MS);

export interface TimingOptions {
  readonly for?: Durations;
  readonly keepFiringFor?: Durations;
  readonly silentAfter?: Durations;
}

/** When Alertmanager is told of the alarms and silences of nodes. */
export interface Timing {
  readonly of: (nodeId: string) => NodeTiming;
  readonly isDelayed: boolean;
  /** The shortest and the longest time (ms) without a measurement after which nodes are silent; missing: they never are. */
  readonly silentAfter?: { readonly shortestMs: number; readonly longestMs: number };
}

/**
 * The timing that the options set for each node. The duration for the alarm's severity goes first, then the one for the type of
 * the node or of the nearest node above it, then the one without a name. Errors: it throws a `CommandFailure` for a name that
 * is neither a severity nor a type of the hierarchy.
 */
export const timingOf = (options: TimingOptions, tree: NodeTree, hierarchy: string | undefined): Timing => {
  const { for: holds = [], keepFiringFor = [], silentAfter = [] } = options;
  const types = new Set([...tree.values()].map(({ type }) => type));
  const check = (option: string, durations: Durations, known: ReadonlyArray<string>): void => {
    for (const { name } of durations) {
      if (name === undefined || known.includes(name) || types.has(name)) continue;
      const severity = known.length > 0 ? `no severity (${known.join(', ')}), and ` : '';
      const type =
        hierarchy === undefined ? 'no known type of node: those need --hierarchy' : `no type of a node in ${hierarchy}`;
      throw unusable(`${option} ${name}=: ${JSON.stringify(name)} is ${severity}${type}`);
    }
  };
  check('--for', holds, severities);
  check('--keep-firing-for', keepFiringFor, severities);
  check('--silent-after', silentAfter, []);
  const isDelayed = [...holds, ...keepFiringFor].some(({ ms }) => ms > 0);
  const silentMs = silentAfter.map(({ ms }) => ms);
  const delaysOf = (names: ReadonlyArray<string>): Delays => {
    const of = (severity: Severity) => ({
      for: durationOf(holds, [severity, ...names]) ?? 0,
      keepFiringFor: durationOf(keepFiringFor, [severity, ...names]) ?? 0,
    });
    return { danger: of('danger'), alert: of('alert') };
  };
  return {
    of: (nodeId) => {
      const names = pathToRoot(tree, nodeId).map(({ type }) => type);
      return { delays: isDelayed ? delaysOf(names) : noDelays, silentAfterMs: durationOf(silentAfter, names) };
    },
    isDelayed,
    ...(silentMs.length > 0 && {
      silentAfter: { shortestMs: Math.min(...silentMs), longestMs: Math.max(...silentMs) },
    }),
  };
};

export const immediateTiming: Timing = timingOf({}, new Map(), undefined);

/** The duration of the first of `names` that has one, or else the duration without a name. */
const durationOf = (durations: Durations, names: ReadonlyArray<string>): number | undefined => {
  const named = names.map((name) => durations.find((one) => one.name === name)).find((one) => one !== undefined);
  return (named ?? durations.find(({ name }) => name === undefined))?.ms;
};
