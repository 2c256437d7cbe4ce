import { unlessInterrupted } from '../../failure';
import type { Acknowledgement } from '../alertmanager/acknowledgements';
import { databaseFailure, jsonForPostgres } from './journal';
import { requirePresentSchema } from './migrations';
import { openConnections } from './transaction';

/** Keeps acknowledgements in the journal at `url`, and yields the number of new or changed ones. Errors: a `CommandFailure`. */
export const keepAcknowledgements = async (
  url: string,
  server: string,
  acknowledgements: ReadonlyArray<Acknowledgement>,
  signal: AbortSignal,
): Promise<number> => {
  const connections = openConnections(url, 'pas journal');
  try {
    const keeping = connections.transaction(async (client) => {
      await requirePresentSchema(client, server);
      return (await client.query(KEEP, [jsonForPostgres(acknowledgements)])).rowCount ?? 0;
    });
    return await unlessInterrupted(signal, keeping);
  } catch (error) {
    throw databaseFailure(server, error);
  } finally {
    await connections.close();
  }
};

const KEEP = `
INSERT INTO point_alarm.acknowledgement AS kept
SELECT * FROM jsonb_to_recordset($1)
  AS given (id text, node uuid, part text, at timestamptz, until timestamptz, by text, comment text)
ON CONFLICT (id) DO UPDATE SET until = excluded.until, by = excluded.by, comment = excluded.comment
WHERE (kept.until, kept.by, kept.comment) IS DISTINCT FROM (excluded.until, excluded.by, excluded.comment)`;
