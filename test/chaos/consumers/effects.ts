import { journalRows, type JournalRow } from '../../support/forward/journal-rows';
import type { ReceivedAlert } from '../../support/forward/own-alertmanager';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';

/** All events that were published, by node and in order. */
export type Events = ReadonlyMap<string, ReadonlyArray<OutboxEvent>>;

/** The parts of which the load of a test makes alarms: their members in an event, and their names. */
const PARTS = { externalAlarm: 'external', overallAlarm: 'overall' };

const statusOf = ({ data }: OutboxEvent, member: string): number =>
  (data as Readonly<Record<string, { readonly status: number } | undefined>>)[member]?.status ?? 0;

const isStatus = ({ type }: OutboxEvent): boolean => type === 'PointAlarmStatusEvent';

/** An effect as a line. Lines are compared in the order of their nodes, those of a node in their own. */
export type Effects = ReadonlyArray<string>;

/** The text of a node stands first in each line. */
const byNode = (lines: Effects): Effects =>
  [...lines].sort((one, other) => (nodeOf(one) < nodeOf(other) ? -1 : Number(nodeOf(one) > nodeOf(other))));
const nodeOf = (line: string): string => line.split(' ')[0] ?? '';

/** What was lost, what is there too often, and whether the rest is in its order. */
export const compareEffects = (expected: Effects, found: Effects) => {
  const without = (lines: Effects, others: Effects): Effects => {
    const left = new Map<string, number>();
    for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
    return lines.filter((line) => {
      const count = left.get(line) ?? 0;
      left.set(line, count - 1);
      return count <= 0;
    });
  };
  return {
    lost: without(expected, found),
    doubled: without(found, expected),
    isInOrder: byNode(found).join('\n') === byNode(expected).join('\n'),
  };
};

/** The alarms that last: what an Alertmanager holds at the end. */
export const lastingAlarms = (events: Events): Effects =>
  [...events].flatMap(([node, ofNode]) => {
    const last = ofNode.findLast(isStatus);
    return Object.entries(PARTS).flatMap(([member, part]) => {
      const status = last === undefined ? 0 : statusOf(last, member);
      return status < 3 ? [] : [`${node} ${part} ${status === 4 ? 'danger' : 'alert'}`];
    });
  });

export const activeAlarms = (alerts: ReadonlyArray<Pick<ReceivedAlert, 'labels'>>): Effects =>
  alerts
    .map(({ labels }) => `${labels['node'] ?? ''} ${labels['part'] ?? ''} ${labels['severity'] ?? ''}`)
    .sort((one, other) => (one < other ? -1 : 1));

export const journalLines = (rows: ReadonlyArray<JournalRow>): Effects =>
  rows.map(({ node, ...row }) => `${node} ${JSON.stringify(Object.entries(row).sort())}`);

export const expectedJournal = (events: Events): Effects => journalLines(journalRows(events));

/** Each event: what the trail of the consumer in TypeScript holds. */
export const allEvents = (events: Events): Effects =>
  [...events].flatMap(([node, ofNode]) => ofNode.map(({ sequenceId }) => `${node} ${sequenceId}`));

/** How many events of each node a reader counted, and the calls for work orders by their keys. */
export const expectedOfReader = (events: Events): Effects =>
  [...events].flatMap(([node, ofNode]) => {
    const kept = new Map<string, number>();
    const orders = ofNode.filter(isStatus).flatMap((event) =>
      Object.keys(PARTS).flatMap((member) => {
        const [before, reported] = [kept.get(member) ?? 0, statusOf(event, member)];
        const after = reported === 1 ? before : reported >= 3 ? reported : 0; // NO_DATA changes nothing
        kept.set(member, after);
        return before === after ? [] : [`${node} ${event.sequenceId}/${member}/${after}`];
      }),
    );
    return [`${node} ${ofNode.length} events`, ...orders];
  });
