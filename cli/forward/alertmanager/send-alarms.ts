import type { Changes } from '../../changes';
import type { NodeAlarms } from './alarms';
import { alertOf, silenceAlert, streamAlert, type AboutNode, type Alert } from './alert';
import { MOST_ALERTS } from './alertmanager';
import { STREAM } from './clock';
import type { Silence } from './silence';

/** Where alarms are sent to, how often, and which labels and link each node has. */
export interface AlertTarget {
  readonly stream: string;
  readonly about: (nodeId: string) => AboutNode;
  readonly send: (alerts: ReadonlyArray<Alert>, withinMs: number) => Promise<void>;
  /** Time (ms) after which all alarms are sent again. */
  readonly resendMs: number;
}

/** Takes or extends the lease. Resolves to the lease's end (`performance.now`), or undefined if another process has it. */
export type ExtendLease = () => Promise<number | undefined>;

/** After this number of missed resends, Alertmanager takes an alarm for ended. */
const LASTS_RESENDS = 10;

/** A node with what is sent about it. */
export interface NodeToSend {
  readonly nodeId: string;
  /** The text that the node's field had when it was read, in the hash of the nodes to send. */
  readonly text: string;
  readonly alarms: NodeAlarms;
  readonly changes: Changes;
  readonly silence?: Silence | undefined;
}

export const countOf = ({ alarms: { active, ended }, silence }: NodeToSend): number =>
  active.length + ended.length + (silence === undefined ? 0 : 1);

/**
 * Sends the alarms of nodes in groups; `onSent` gets each group that was sent. `firstUntil` is the end of the lease under which
 * the alarms were read. The lease is extended after each group, so that even a slow Alertmanager gets all groups.
 */
export const sendAlarms = async (
  { about, send, resendMs, stream }: AlertTarget,
  nodes: ReadonlyArray<NodeToSend>,
  extendLease: ExtendLease,
  firstUntil: number,
  onSent: (sent: ReadonlyArray<NodeToSend>) => Promise<void>,
): Promise<void> => {
  let until: number | undefined = firstUntil;
  for (const some of groupsOf(nodes)) {
    const lastsUntil = Date.now() + LASTS_RESENDS * resendMs;
    const alerts = some.flatMap(({ nodeId, alarms: { active, ended }, changes, silence }) => {
      if (nodeId === STREAM) return silence === undefined ? [] : [streamAlert(stream, silence, lastsUntil)];
      const [node, now] = [about(nodeId), Date.now()];
      return [
        ...[...ended, ...active].map((alarm) => alertOf(nodeId, alarm, node, lastsUntil, { changes, now })),
        ...(silence === undefined ? [] : [silenceAlert(nodeId, silence, node, lastsUntil)]),
      ];
    });
    const withinMs = Math.floor(until - performance.now());
    if (withinMs <= 0) throw new Error('Redis took too long');
    if (alerts.length > 0) await send(alerts, withinMs);
    await onSent(some);
    if (performance.now() >= until) throw new Error('Redis took too long');
    until = await extendLease();
    if (until === undefined) return;
  }
};

/** Groups of nodes, in order, with at most as many alerts as one call takes. A node is never split, even if it has more. */
const groupsOf = (nodes: ReadonlyArray<NodeToSend>): ReadonlyArray<ReadonlyArray<NodeToSend>> => {
  const groups: NodeToSend[][] = [];
  let room = 0;
  for (const node of nodes) {
    room -= countOf(node);
    if (room < 0 || groups.length === 0) {
      groups.push([]);
      room = MOST_ALERTS - countOf(node);
    }
    groups.at(-1)?.push(node);
  }
  return groups;
};
