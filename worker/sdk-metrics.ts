import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SdkComponent, type LogMetadata } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import { unsearched, type Log } from '../process/log';

/** Time (ms) in which the SDK answers with its metrics. */
const ANSWER_MS = 2_000;

/** Sends the SDK's log lines to `log`, but for traces, and its metrics to a loopback port for this process. */
export const installRuntime = async (log: Log): Promise<() => Promise<string>> => {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  const ofNodes = unsearched(log); // one per command
  Runtime.install({
    // No traces: they hold whole tasks, with the contents of commands and events.
    logger: new DefaultLogger('DEBUG', ({ level, message, meta = {} }) => {
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
  return async () => {
    const answer = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.text();
  };
};

/** A node reports the commands of a commit together, of which each gets a line of its own. */
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
