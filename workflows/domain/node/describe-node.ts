import { worstOf } from '../alarm/parts';
import { statusNames } from '../alarm/status';
import { alarmLines } from './describe-alarms';
import { code, instant, plural } from './markdown';
import type { Node } from './node';
import type { Outbox } from './outbox';
import type { State } from './state';

/**
 * The node as an operator reads it in the Temporal UI: Markdown, made when one looks.
 *
 * `publishesUpTo` is the last event that the node publishes by itself; those after it are left to the API.
 */
export const describeNode = ({ state, outbox }: Node, publishesUpTo: string = state.sequenceId): string =>
  [
    `## ${statusNames[worstOf(state.parts)]}`,
    '',
    lastChange(state),
    '',
    unpublished(outbox, publishesUpTo),
    ...alarmLines(state),
    ...latestLines({ ...state.latest }),
    '',
    '### Threshold',
    '',
    thresholdLine(state),
    '',
    `Node \`${state.nodeId}\``,
  ].join('\n');

const lastChange = ({ updatedAt, setAt }: State): string => {
  if (updatedAt === 0) return 'Never changed';
  return `Last change: ${setAt === updatedAt ? 'threshold set' : 'status updated'} ${instant(updatedAt)}`;
};

const unpublished = ({ waiting, bytes }: Outbox, publishesUpTo: string): string => {
  const [oldest] = waiting;
  if (oldest === undefined) return 'All events are published';
  const own = waiting.filter(({ sequenceId }) => sequenceId <= publishesUpTo).length;
  const events = plural(waiting.length, 'event');
  if (own === 0) return `Left to the API to publish: ${events}`;
  return `Not published: ${events} of ${plural(bytes, 'byte')}, the oldest of ${instant(oldest.timestamp)}`;
};

const thresholdLine = ({ revision, setBy, setAt, reading, threshold: { thresholdType } }: State): string => {
  if (setBy === undefined || setAt === undefined) return revision === 0 ? 'Never set' : `Revision ${revision}`;
  const type = thresholdType === undefined ? '' : `, type ${thresholdType}`;
  return `Revision ${revision}${type}, regions read as ${reading}, set by ${code(setBy)} ${instant(setAt)}`;
};

const latestLines = (
  latest: Readonly<Record<string, { readonly measurementId: string; readonly createdAt: string }>>,
): ReadonlyArray<string> => {
  const lines = Object.entries(latest).map(
    ([name, { measurementId, createdAt }]) => `- ${name}: ${code(measurementId)} of ${createdAt}`,
  );
  return lines.length === 0 ? [] : ['', '### Latest measurements', '', ...lines];
};
