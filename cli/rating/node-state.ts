import { Client, Connection } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { payloadEncryption } from '../../process/payload-encryption';
import type { TemporalSettings } from '../../process/settings';
import { WORKFLOW_TYPE, workflowIdOf } from '../../workflows/names';
import { foldRun, type RunStep } from './fold-run';
import type { State } from '../../workflows/domain/node/state';

/** Deadline of one call. */
const CALL_MS = 15_000;

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayload[];

/**
 * The state of a node by the history of its run: what the run began with, and each command since. It changes nothing, and needs
 * no worker. Undefined where Temporal has no such node.
 *
 * Errors: it rejects where Temporal does not answer.
 */
export const stateInTemporal = async (
  { connection: options, namespace, payloadKeys }: TemporalSettings,
  nodeId: string,
): Promise<State | undefined> => {
  const connection = await Connection.connect({ ...options, connectTimeout: '10 seconds' });
  try {
    const client = new Client({
      connection,
      namespace,
      ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys)] } }),
    });
    const workflowId = workflowIdOf(nodeId);
    const handle = client.workflow.getHandle(workflowId);
    const converter = client.options.loadedDataConverter;
    const argumentOf = async (payloads: Payloads | null | undefined): Promise<unknown> =>
      (await decodeArrayFromPayloads(converter, payloads ?? [], { type: 'workflow', namespace, workflowId }))[0];
    return await connection.withDeadline(Date.now() + CALL_MS, async () => {
      const { type, status } = await handle.describe();
      if (type !== WORKFLOW_TYPE || status.name !== 'RUNNING') return undefined;
      const { events } = await handle.fetchHistory();
      const steps: RunStep[] = [];
      for (const event of events ?? []) {
        const step = stepOf(event);
        if (step !== undefined)
          steps.push({ name: step.name, at: millisOf(event), argument: await argumentOf(step.payloads) });
      }
      return foldRun(nodeId, steps);
    });
  } finally {
    await connection.close();
  }
};

/** The argument of the run, and each update and signal that the node took. */
const stepOf = ({
  workflowExecutionStartedEventAttributes: started,
  workflowExecutionUpdateAcceptedEventAttributes: updated,
  workflowExecutionSignaledEventAttributes: signalled,
}: HistoryEvent): { readonly name: string; readonly payloads: Payloads | null | undefined } | undefined => {
  if (started != null) return { name: 'begin', payloads: started.input?.payloads };
  const update = updated?.acceptedRequest?.input;
  if (update != null) return { name: update.name ?? '', payloads: update.args?.payloads };
  return signalled == null ? undefined : { name: signalled.signalName ?? '', payloads: signalled.input?.payloads };
};

const millisOf = ({ eventTime }: HistoryEvent): number =>
  Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);
