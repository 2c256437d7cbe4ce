import type { Acknowledgement } from '../alertmanager/acknowledgements';
import { withJournalTransaction } from './journal-transaction';
import { jsonForPostgres } from './journal';

/** Keeps acknowledgements in the journal at `url`, and yields the number of new or changed ones. Errors: a `CommandFailure`. */
export const storeAcknowledgements = (
  url: string,
  server: string,
  acknowledgements: ReadonlyArray<Acknowledgement>,
  signal: AbortSignal,
): Promise<number> =>
  withJournalTransaction(
    { url, server },
    signal,
    async (client) => (await client.query(STORE, [jsonForPostgres(acknowledgements)])).rowCount ?? 0,
  );

const STORE = `
INSERT INTO point_alarm.acknowledgement AS kept
SELECT * FROM jsonb_to_recordset($1)
  AS given (id text, node uuid, part text, at timestamptz, until timestamptz, by text, comment text)
ON CONFLICT (id) DO UPDATE SET until = excluded.until, by = excluded.by, comment = excluded.comment
WHERE (kept.until, kept.by, kept.comment) IS DISTINCT FROM (excluded.until, excluded.by, excluded.comment)`;
