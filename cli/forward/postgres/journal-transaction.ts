import type { ClientBase } from 'pg';
import { unlessInterrupted } from '../../failure';
import { databaseFailure } from './journal';
import { requirePresentSchema } from './migrations';
import { openConnections } from './transaction';

/**
 * Runs `work` in one transaction of the journal at `url`, after the statements of `begin`. `server` names the database in
 * messages, without a password. Errors: it throws a `CommandFailure`, also if the schema is not that of this release.
 */
export const withJournalTransaction = async <A>(
  { url, server, begin = '' }: { readonly url: string; readonly server: string; readonly begin?: string },
  signal: AbortSignal,
  work: (client: ClientBase) => Promise<A>,
): Promise<A> => {
  const connections = openConnections(url, 'pas journal');
  try {
    const done = connections.transaction(async (client) => {
      if (begin !== '') await client.query(begin);
      await requirePresentSchema(client, server);
      return work(client);
    });
    return await unlessInterrupted(signal, done);
  } catch (error) {
    throw databaseFailure(server, error);
  } finally {
    await connections.close();
  }
};
