import type { Log } from '../../../process/log';
import { payloadEncryption } from '../../../process/payload-encryption';
import type { TemporalSettings } from '../../../process/settings';
import type { ReadinessCheck } from '../../ports';
import { troubleOf } from './trouble';
import { SynchronousConnection, workflowsUntil, type WorkflowsUntil } from './workflows-until';

/** How long Temporal may take to say that it is there. */
const ANSWER_MS = 2_000;

/** How a lost connection is sought again, and one that went silent is found out (ms). */
const channelArgs = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3_000,
};

/**
 * Temporal, by a client that needs no server yet: the process starts, and comes back, while Temporal is away.
 *
 * It repeats no call by itself: what is worth another try, and for how long, is decided where the call is known
 * (`persistently`). A closed run is not asked: a node that was terminated is forgotten.
 */
export const connect = ({ connection, namespace, payloadKeys, log }: ConnectSettings): TemporalLink => {
  const link = SynchronousConnection.lazy({ ...connection, channelArgs, interceptors: [] });
  const tell = changesToldTo(log);
  const answers = (): Promise<boolean> =>
    link
      .withDeadline(Date.now() + ANSWER_MS, () => link.workflowService.getSystemInfo({}))
      .then(
        () => tell(undefined),
        (error: unknown) => tell(error),
      );
  return {
    workflowsUntil: workflowsUntil(link, {
      namespace,
      queryRejectCondition: 'NOT_OPEN',
      ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys, fail)] } }),
    }),
    readiness: { part: 'Temporal', answers },
    close: () => link.close(),
  };
};

const fail = (_: unknown, why: string): never => {
  throw new Error(`an answer of the node cannot be read: ${why}`);
};

/** Tells whether Temporal answered, and logs it where it differs from the last time. */
const changesToldTo = (log: Log): ((error: unknown) => boolean) => {
  let wasAway: boolean | undefined;
  return (error) => {
    const isAway = error !== undefined;
    if (isAway && wasAway !== true) log.warn({ reason: troubleOf(error).reason }, 'temporal is away');
    if (!isAway && wasAway !== false) log.info('temporal answers');
    wasAway = isAway;
    return !isAway;
  };
};

interface ConnectSettings extends Pick<TemporalSettings, 'connection' | 'namespace' | 'payloadKeys'> {
  readonly log: Log;
}

export interface TemporalLink {
  readonly workflowsUntil: WorkflowsUntil;
  readonly readiness: ReadinessCheck;
  readonly close: () => Promise<void>;
}
