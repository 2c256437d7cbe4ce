import { connect } from '../../../api/adapters/temporal/connect';
import { createPointAlarms } from '../../../api/adapters/temporal/point-alarms';
import type { PointAlarms, ReadinessCheck } from '../../../api/ports';
import { createLog } from '../../../process/log';
import type { Nodes } from '../node/nodes';

/** The API's side of the nodes: the port, and its connection. */
export interface ApiSide {
  readonly nodes: PointAlarms;
  readonly readiness: ReadinessCheck;
  /** The lines of its log. */
  readonly logged: ReadonlyArray<string>;
  readonly close: () => Promise<void>;
}

export const createApiSide = (
  address: string,
  { taskQueue }: Pick<Nodes, 'taskQueue'>,
  callDeadlineMs = 10_000,
): ApiSide => {
  const logged: string[] = [];
  const link = connect({ connection: { address }, namespace: 'default' });
  return {
    nodes: createPointAlarms({
      client: link.client,
      taskQueue,
      searchAttributes: true,
      overallRegions: 'literal',
      callDeadlineMs,
      waitingCalls: 256,
      log: createLog({ level: 'info', process: 'test' }, { write: (line) => logged.push(line) }),
    }),
    readiness: link.readiness,
    logged,
    close: link.close,
  };
};

export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index);
