import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../../process/log';
import type { CommandName } from '../../../workflows/domain/commands';
import type { OverallReading } from '../../../workflows/domain/rating/overall-regions';
import type { QueueMetrics } from '../../admission/queues';
import type { Found, Outage, PointAlarms, ReadHow } from '../../ports';
import { views, type View } from './ask-node';
import { createNodeQueues, type SendGroup } from '../node-queue';
import { createPublishNow } from './publish-now';
import { createSendGroup, type GroupSender } from './send-group';
import { createReads, type ReadNode } from './reads';
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
  readonly admission?: (calls: 'commands' | 'reads') => QueueMetrics;
}

/**
 * The nodes as Temporal workflows: a command is an update that starts its node, a read is a query.
 *
 * `sendGroup` sends the groups; without it the nodes publish their own events.
 */
export const createPointAlarms = (
  nodes: TemporalNodes,
  sendGroup: SendGroup = plainly(nodes),
  read: ReadNode = createReads(nodes),
): PointAlarms => {
  const queues = createNodeQueues({
    sendGroup,
    deadlineMs: nodes.callDeadlineMs,
    waitingCalls: nodes.waitingCalls,
    ...(nodes.canPublish !== undefined && { canPublish: nodes.canPublish }),
    ...(nodes.metrics !== undefined && { metrics: nodes.metrics }),
    ...(nodes.admission !== undefined && { admission: nodes.admission('commands') }),
  });
  return {
    send: (nodeId, name, payload, by) => () =>
      queues.submit(nodeId, { name, ...payload, ...readingFor(name, nodes) }, by),
    refusal: queues.refusal,
    threshold: reader(read, views.threshold),
    alarmStatus: reader(read, views.alarmStatus),
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

const reader =
  <A>(read: ReadNode, view: View<A>) =>
  (nodeId: string, how: ReadHow = {}): TE.TaskEither<Outage, Found<A>> =>
    pipe(
      () => read(view, nodeId, how.by),
      TE.map((value) => ({ value })),
    );
