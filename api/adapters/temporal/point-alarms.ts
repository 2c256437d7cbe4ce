import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../../process/log';
import type { CommandName } from '../../../workflows/domain/node/command';
import type { OverallReading } from '../../../workflows/domain/rating/overall-regions';
import { beforeDeadline } from '../../before-deadline';
import type { Found, Outage, PointAlarms } from '../../ports';
import { askNode, views, type View } from './ask-node';
import { createLanes, type SendGroup } from './lane';
import { createSendGroup, type GroupSender } from './send-group';
import { sharedReads } from './shared-reads';
import type { LaneWatch } from './watch-lanes';
import type { WorkflowsUntil } from './workflows-until';

export interface TemporalNodes {
  readonly workflowsUntil: WorkflowsUntil;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly overallRegions: OverallReading;
  readonly callDeadlineMs: number;
  readonly waitingCalls: number;
  readonly log: Log;
  readonly watch?: LaneWatch;
}

/**
 * The nodes as Temporal workflows: a command is an update that starts its node, a read is a query.
 *
 * `sendGroup` says how groups travel; without it the nodes publish what they commit.
 */
export const createPointAlarms = (nodes: TemporalNodes, sendGroup: SendGroup = plainly(nodes)): PointAlarms => {
  const submit = createLanes({
    sendGroup,
    deadlineMs: nodes.callDeadlineMs,
    waitingCalls: nodes.waitingCalls,
    ...(nodes.watch !== undefined && { watch: nodes.watch }),
  });
  return {
    send: (nodeId, name, payload) => submit(nodeId, { name, ...payload, ...readingFor(name, nodes) }),
    threshold: reader(nodes, views.threshold),
    alarmStatus: reader(nodes, views.alarmStatus),
  };
};

/** Groups whose events their nodes publish. */
export const plainly = (nodes: GroupSender): SendGroup => {
  const send = createSendGroup(nodes);
  return (nodeId, commands, until) => send(nodeId, { commands }, until);
};

/** The reading in force when a threshold is set stays with that threshold. */
const readingFor = (name: CommandName, { overallRegions }: TemporalNodes): { readonly reading?: OverallReading } =>
  name === 'setThreshold' || name === 'patchThreshold' ? { reading: overallRegions } : {};

const reader = <A>(nodes: TemporalNodes, view: View<A>): ((nodeId: string) => TE.TaskEither<Outage, Found<A>>) => {
  const ask = sharedReads((nodeId) => askNode(nodes, view, nodeId, Date.now() + nodes.callDeadlineMs));
  return (nodeId) =>
    pipe(
      beforeDeadline(nodes.callDeadlineMs, () => ask(nodeId)), // each caller has his own: a shared read may begin late
      TE.map((value) => ({ value })),
    );
};
