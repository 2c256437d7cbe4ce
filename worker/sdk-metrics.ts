import { createServer, type AddressInfo } from 'node:net';
import { makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Log } from '../process/log';

/** The Temporal SDK's own metrics, as Prometheus text. */
export type SdkMetrics = () => Promise<string>;

/** Sends the SDK's log lines to `log`, but for traces, and its metrics to a loopback port that only this process asks. */
export const installRuntime = async (log: Log): Promise<SdkMetrics> => {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  Runtime.install({
    logger: {
      log: (level, message, meta) => {
        if (level !== 'TRACE') log[methods[level]](meta ?? {}, message);
      },
      trace: () => undefined, // whole tasks, with the contents of commands and events
      debug: (message, meta) => {
        log.debug(meta ?? {}, message);
      },
      info: (message, meta) => {
        log.info(meta ?? {}, message);
      },
      warn: (message, meta) => {
        log.warn(meta ?? {}, message);
      },
      error: (message, meta) => {
        log.error(meta ?? {}, message);
      },
    },
    telemetryOptions: {
      metrics: {
        prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
      },
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    shutdownSignals: [],
  });
  return async () => {
    const answer = await fetch(`http://${bindAddress}/metrics`);
    return answer.text();
  };
};

const methods = {
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<Exclude<LogLevel, 'TRACE'>, string>;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
