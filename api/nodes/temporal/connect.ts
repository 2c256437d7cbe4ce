import type { Log } from '../../../process/log';
import { payloadEncryption } from '../../../process/payload-encryption';
import type { TemporalSettings } from '../../../process/settings';
import type { ReadinessCheck } from '../../ports';
import { classifyError } from './classify-error';
import { SynchronousConnection, workflowsUntil, type WorkflowsUntil } from './workflows-until';

/** Time limit (ms) of a health check of Temporal. */
const ANSWER_MS = 2_000;

/**
 * Reconnecting, and detection of a connection that went silent (ms): within seven seconds, so that a call outlives it.
 *
 * A server ends a connection at the third ping that comes within ten seconds of the one before, with nothing answered in
 * between. The longest call of ours is a poll of 20 s, during which there are three pings: two count.
 */
const channelArgs = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
};

/**
 * Temporal, by a client that needs no server yet: the process starts, and comes back, while Temporal is unavailable.
 *
 * It retries no call by itself: `retry` decides which calls are retried, and for how long. Closed runs are not queried: a
 * terminated node has no state.
 */
export const connect = ({ connection, namespace, payloadKeys, log }: ConnectSettings): TemporalLink => {
  const link = SynchronousConnection.lazy({ ...connection, channelArgs, interceptors: [] });
  const report = createReporter(log);
  const answers = (): Promise<boolean> =>
    link
      .withDeadline(Date.now() + ANSWER_MS, () => link.workflowService.getSystemInfo({}))
      .then(
        () => report(undefined),
        (error: unknown) => report(error),
      );
  return {
    workflowsUntil: workflowsUntil(link, {
      namespace,
      queryRejectCondition: 'NOT_OPEN',
      ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys)] } }),
    }),
    readiness: { dependency: 'Temporal', answers },
    close: () => link.close(),
  };
};

/** Returns whether Temporal answered, and logs it where it differs from the last time. */
const createReporter = (log: Log): ((error: unknown) => boolean) => {
  let wasAvailable: boolean | undefined;
  return (error) => {
    const isAvailable = error === undefined;
    if (!isAvailable && wasAvailable !== false)
      log.warn({ reason: classifyError(error).reason }, 'temporal is unavailable');
    if (isAvailable && wasAvailable !== true) log.info('temporal is available');
    wasAvailable = isAvailable;
    return isAvailable;
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
