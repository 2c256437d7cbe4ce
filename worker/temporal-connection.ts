import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Log } from '../process/log';
import type { TemporalSettings } from '../process/settings';

const LONGEST_PAUSE_MS = 2_000;

/** Connects to Temporal, and keeps trying while it is away: which of the two starts first does not matter. */
export const connectTemporal = async (
  { connection }: TemporalSettings,
  log: Log,
  signal: AbortSignal,
): Promise<NativeConnection> => {
  for (let tries = 0; ; tries += 1) {
    try {
      const connected = await NativeConnection.connect(connection);
      log.info({ address: connection.address }, 'temporal answers');
      return connected;
    } catch (error) {
      if (tries === 0) log.warn({ address: connection.address, reason: String(error) }, 'temporal is away');
      await sleep(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** tries), undefined, { signal });
    }
  }
};
