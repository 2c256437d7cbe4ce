import { QueryRejectedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import * as E from 'fp-ts/Either';
import type { Log } from '../../../process/log';
import { workflowIdOf } from '../../../workflows/messages';
import type { Outage } from '../../ports';
import { persistently } from './persistently';

/** Temporal's word for a run that another one follows. */
const CONTINUED_AS_NEW = 6;

/** A node that is not there: it was never touched, or was terminated, which forgets it. */
export const NOBODY = Symbol('no node');

/**
 * Asks the node `query`, or says that there is none. A read changes nothing, so every outage says so.
 *
 * The deadline `until` is epoch ms.
 */
export const askNode = async <A>(
  { client, log }: { readonly client: Client; readonly log: Log },
  query: QueryDefinition<A>,
  nodeId: string,
  until: number,
): Promise<E.Either<Outage, A | typeof NOBODY>> => {
  const answer = await persistently(() => ask(client, query, nodeId, until), until);
  if (E.isRight(answer)) return answer;
  const { reason, kind } = answer.left;
  log.warn({ nodeId, query: query.name, reason }, 'a read was given up');
  return E.left(kind === 'late' ? { _tag: 'TimedOut' } : away);
};

const away: Outage = { _tag: 'Unavailable', part: 'Temporal', retryAfter: 1, mayHaveChanged: false };

const ask = async <A>(
  client: Client,
  query: QueryDefinition<A>,
  nodeId: string,
  until: number,
): Promise<A | typeof NOBODY> => {
  for (;;) {
    try {
      return await client.withDeadline(until, () => client.workflow.getHandle(workflowIdOf(nodeId)).query(query));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return NOBODY;
      if (!(error instanceof QueryRejectedError)) throw error;
      const status: number = error.status;
      if (status !== CONTINUED_AS_NEW) return NOBODY;
    }
  }
};
