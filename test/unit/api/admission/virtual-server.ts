import * as E from 'fp-ts/Either';
import { ServiceError } from '@temporalio/client';
import type { RefusalReason, QueuesState } from '../../../../api/admission/queue-metrics';
import { createQueues, type QueuesParts } from '../../../../api/admission/queues';
import { retry } from '../../../../api/nodes/temporal/retry';
import { noAnswerOf, type Outage } from '../../../../api/ports';

export const DEADLINE_MS = 10_000;

const grpcError = (code: number, details: string): ServiceError =>
  new ServiceError('failed', { cause: Object.assign(new Error(details), { code, details, metadata: {} }) });

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How a node answers an attempt that ends at `until`: the trip (ms); or its failure, at once or only then. */
export type Answering = (nodeId: string) => number | 'fails' | 'is silent' | 'unavailable';

/** Queues over a server that answers by `answering`, whose attempts are retried as those of Temporal's are. */
export const serverOf = (answering: Answering, more: Partial<QueuesParts<string, Outage, string>> = {}) => {
  const refused: RefusalReason[] = [];
  let state = (): QueuesState => ({ waiting: 0, inFlight: 0, limit: 0, expectedSeconds: 0 });
  let attempts = 0;
  let most = 0;
  const attempt = async (nodeId: string, until: number): Promise<void> => {
    attempts += 1;
    most = Math.max(most, attempts);
    try {
      const how = answering(nodeId);
      await sleep(typeof how === 'number' ? how : how === 'is silent' ? until - performance.now() : 5);
      if (how === 'fails')
        throw grpcError(9, 'Unable to perform workflow execution update due to Workflow Task in failed state.');
      if (how === 'unavailable') throw grpcError(14, 'No connection established');
      if (how === 'is silent') throw grpcError(4, 'Deadline exceeded after 3.0s,remote_addr=10.0.0.2:7233');
    } finally {
      attempts -= 1;
    }
  };
  const queues = createQueues<string, Outage, string>({
    deadlineMs: DEADLINE_MS,
    mostWaiting: 256,
    mostTogether: 64,
    kinds: ['update'],
    kindOf: () => 'update',
    send: async (nodeId, { calls, until }, slot) => {
      const answer = await retry((end) => attempt(nodeId, end), until - 100, slot);
      if (E.isRight(answer)) return { answers: calls.map(E.right), isAnswered: true, showsLoad: true };
      const outage = answer.left.kind === 'late' ? ({ _tag: 'TimedOut' } as const) : noAnswerOf('Temporal');
      return { answers: calls.map(() => E.left(outage)), isAnswered: false, showsLoad: false };
    },
    metrics: {
      watch: (now) => {
        state = now;
      },
      refused: (why) => refused.push(why),
    },
    ...more,
  });
  return { ...queues, refused, state: () => state(), attempts: () => ({ now: attempts, most }) };
};
