import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SdkComponent, type LogMetadata } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import { withoutRedaction, type Log } from '../process/log';

/** Time limit (ms) for the SDK to return its metrics. */
const ANSWER_MS = 2_000;

/** Most ports to try. We choose the port, because the SDK does not report its own choice. Another process may take it first. */
const PORTS_TRIED = 10;

/**
 * Sends the SDK's log lines, except traces, to `log`, and serves the SDK's metrics on a loopback port. Calls `rejected` for
 * each workflow task whose outcome Temporal rejected: no metric of the SDK distinguishes that from an outage.
 */
export const installRuntime = async (
  log: Log,
  rejected: () => void,
  choosePort: () => Promise<number> = freePort,
): Promise<() => Promise<string>> => {
  for (let tries = 1; ; tries += 1) {
    const address = `127.0.0.1:${await choosePort()}`;
    try {
      install(address, log, rejected);
      return async () => {
        const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
        return answer.text();
      };
    } catch (error) {
      if (tries === PORTS_TRIED) throw error;
    }
  }
};

const install = (bindAddress: string, log: Log, rejected: () => void): void => {
  const ofNodes = withoutRedaction(log); // logs a line per command: redaction of each would cost too much
  Runtime.install({
    // Traces are left out: they hold whole tasks, with the contents of commands and events.
    logger: new DefaultLogger('DEBUG', ({ level, message, meta = {} }) => {
      if (isRejection(message, meta)) rejected();
      const isOfNode = level === 'INFO' && meta['sdkComponent'] === SdkComponent.workflow;
      for (const record of recordsOf(meta)) (isOfNode ? ofNodes : log)[methods[level]](record, message);
    }),
    telemetryOptions: {
      metrics: {
        prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
      },
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    shutdownSignals: [],
  });
};

/** Whether a log line of the SDK's core (1.24.0) reports that Temporal rejected the outcome of a workflow task as faulty. */
const isRejection = (message: string, { error }: LogMetadata): boolean =>
  message === 'Error while completing workflow activation' && String(error).includes('invalid argument');

/** Makes a log record for each command: a node logs all commands of a commit in one record. */
const recordsOf = (meta: LogMetadata): ReadonlyArray<object> => {
  const { commands, ...shared } = meta;
  return Array.isArray(commands) ? commands.map((command: object) => ({ ...shared, ...command })) : [meta];
};

const methods = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
};
