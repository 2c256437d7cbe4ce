import { Registry } from 'prom-client';
import { openTemporalConnection } from '../../api/nodes/temporal/connection';
import type { SendGroup } from '../../api/nodes/node-queue';
import { createPointAlarms, type TemporalNodes } from '../../api/nodes/nodes';
import type { GroupSender } from '../../api/nodes/temporal/send-group';
import type { PointAlarms } from '../../api/ports';
import type { Dependency } from '../../process/dependencies';
import { createLog } from '../../process/log';
import type { Nodes } from '../integration/workflows/nodes';

/** The API's side of the nodes: the port, and its connection. */
export interface ApiSide {
  readonly nodes: PointAlarms;
  readonly readiness: Dependency;
  readonly logged: ReadonlyArray<string>;
  readonly close: () => Promise<void>;
}

export const createApiSide = (
  address: string,
  { taskQueue }: Pick<Nodes, 'taskQueue'>,
  callDeadlineMs = 10_000,
  pushed: (sender: GroupSender) => SendGroup | undefined = () => undefined,
): ApiSide => {
  const logged: string[] = [];
  const log = createLog({ level: 'info', process: 'test' }, { write: (line) => logged.push(line) });
  const link = openTemporalConnection({ connection: { address }, namespace: 'default', log });
  const sides: TemporalNodes = {
    workflowsUntil: link.workflowsUntil,
    taskQueue,
    searchAttributes: true,
    callDeadlineMs,
    waitingCalls: 256,
    canPublish: () => true,
    registry: new Registry(),
    log,
  };
  return { nodes: createPointAlarms(sides, pushed(sides)), readiness: link.readiness, logged, close: link.close };
};

export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);
