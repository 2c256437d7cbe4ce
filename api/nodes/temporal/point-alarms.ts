import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../../process/log';
import type { CommandName } from '../../../workflows/domain/commands';
import type { OverallReading } from '../../../workflows/domain/rating/overall-regions';
import { beforeDeadline } from '../before-deadline';
import type { Found, Outage, PointAlarms } from '../../ports';
import { askNode, views, type View } from './ask-node';
import { createNodeQueues, type SendGroup } from '../node-queue';
import { createPublishNow } from './publish-now';
import { createSendGroup, type GroupSender } from './send-group';
import { sharedReads } from './shared-reads';
import type { NodeQueueMetrics } from '../node-queue-metrics';
import type { WorkflowsUntil } from './workflows-until';

export interface TemporalNodes {
  readonly workflowsUntil: WorkflowsUntil;
  readonly taskQueue: string;
  readonly searchAttributes: boolean;
  readonly overallRegions: OverallReading;
  readonly callDeadlineMs: number;
  readonly waitingCalls: number;
  readonly log: Log;
  /** Whether events can be published, as far as this process sees. */
  readonly canPublish?: () => boolean;
  readonly metrics?: NodeQueueMetrics;
}

/**
 * The nodes as Temporal workflows: a command is an update that starts its node, a read is a query.
 *
 * `sendGroup` sends the groups; without it the nodes publish their own events.
 */
export const createPointAlarms = (nodes: TemporalNodes, sendGroup: SendGroup = plainly(nodes)): PointAlarms => {
  const submit = createNodeQueues({
    sendGroup,
    deadlineMs: nodes.callDeadlineMs,
    waitingCalls: nodes.waitingCalls,
    ...(nodes.canPublish !== undefined && { canPublish: nodes.canPublish }),
    ...(nodes.metrics !== undefined && { metrics: nodes.metrics }),
  });
  return {
    send: (nodeId, name, payload) => submit(nodeId, { name, ...payload, ...readingFor(name, nodes) }),
    threshold: reader(nodes, views.threshold),
    alarmStatus: reader(nodes, views.alarmStatus),
  };
};

/** Sends groups whose nodes publish the events; a node with an outbox full of events left to a relay is asked to publish them. */
export const plainly = (nodes: GroupSender): SendGroup => {
  const send = createSendGroup(nodes);
  const publishNow = createPublishNow(nodes.workflowsUntil);
  return async (nodeId, commands, until) => {
    const sent = await send(nodeId, { commands }, until);
    const isFull = E.isRight(sent.answer) && sent.answer.right.postponed?._tag === 'OutboxFull';
    return isFull ? { ...sent, completed: publishNow(nodeId).then(() => undefined) } : sent;
  };
};

/** The interpretation in force when a threshold is set stays with that threshold. */
const readingFor = (name: CommandName, { overallRegions }: TemporalNodes): { readonly reading?: OverallReading } =>
  name === 'setThreshold' || name === 'patchThreshold' ? { reading: overallRegions } : {};

const reader = <A>(nodes: TemporalNodes, view: View<A>): ((nodeId: string) => TE.TaskEither<Outage, Found<A>>) => {
  const ask = sharedReads((nodeId) => askNode(nodes, view, nodeId, Date.now() + nodes.callDeadlineMs));
  return (nodeId) =>
    pipe(
      beforeDeadline(nodes.callDeadlineMs, () => ask(nodeId)), // a deadline per caller: a shared read may begin late
      TE.map((value) => ({ value })),
    );
};
