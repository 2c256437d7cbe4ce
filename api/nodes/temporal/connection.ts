import { AsyncLocalStorage } from 'node:async_hooks';
import { type CallContext, Connection, WorkflowClient, type WorkflowClientOptions } from '@temporalio/client';
import type { ConnectionCtorOptions, RPCImplOptions } from '@temporalio/client/lib/connection';
import type { Log } from '../../../process/log';
import { payloadEncryption } from '../../../process/payload-encryption';
import type { TemporalSettings } from '../../../process/settings';
import { createReminder } from '../../../process/reminder';
import { singleFlight } from '../../../process/single-flight';
import { waitForReplacement, SILENT_MS } from '../../../process/silent-connection';
import { classifyError } from './errors';

/** Returns a client of Temporal's workflows whose requests all end at `until` (a time of `performance.now()`). */
export type WorkflowsUntil = (until: number) => WorkflowClient;

/**
 * Holds a value while the synchronous call of `run` lasts, but not for its continuations. Node 20's own AsyncLocalStorage hooks
 * every promise of the process once it is used, which costs a sixth of the rate of cached reads
 * (docs/contributing/benchmarks-tables.md, "Others").
 */
class SynchronousStorage<A> extends AsyncLocalStorage<A> {
  #value: A | undefined;

  override getStore(): A | undefined {
    return this.#value;
  }

  override run<R, Given extends ReadonlyArray<unknown>>(value: A, call: (...given: Given) => R, ...given: Given): R {
    const before = this.#value;
    this.#value = value;
    try {
      return call(...given);
    } finally {
      this.#value = before;
    }
  }
}

const context = new SynchronousStorage<CallContext>();

/** The SDK's connection, but `withDeadline` and similar methods apply only to requests that are made synchronously. */
class SynchronousConnection extends Connection {
  protected static override generateRPCImplementation(
    options: RPCImplOptions,
  ): ReturnType<(typeof Connection)['generateRPCImplementation']> {
    return super.generateRPCImplementation({ ...options, callContextStorage: context });
  }

  protected constructor(options: ConnectionCtorOptions) {
    super({ ...options, callContextStorage: context });
  }
}

/** Converts a time of `performance.now()` to the client's epoch ms; anew for each request, as the system clock may be set. */
const epochMs = (time: number): number => Date.now() + time - performance.now();

/**
 * A client that sets the deadline around each request. A deadline around a whole call of the client would not do, because
 * `SynchronousConnection` applies it only to requests that are sent before the call first waits.
 */
const clientUntil = (until: number, connection: Connection, options: Omit<WorkflowClientOptions, 'connection'>) => {
  const workflowService = new Proxy(connection.workflowService, {
    get: (service, name) => {
      const request = Reflect.get(service, name) as (content: unknown) => Promise<unknown>;
      return (content: unknown) => connection.withDeadline(epochMs(until), () => request(content));
    },
  });
  const bound = new Proxy(connection, {
    get: (all, name): unknown => (name === 'workflowService' ? workflowService : Reflect.get(all, name)),
  });
  return new WorkflowClient({ ...options, connection: bound });
};

/**
 * Options of gRPC: it reconnects fast. The pool of subchannels is local, because a second connection to the same address would
 * otherwise share the socket of the first. gRPC pings only connections in use, every 30 s (the SDK's default; the server's
 * minimum is 10 s). So finding silent connections is left to `waitForReplacement`.
 */
const channelArgs = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.use_local_subchannel_pool': 1,
};

type TemporalConnectionSettings = Pick<TemporalSettings, 'connection' | 'namespace' | 'payloadKeys'> & {
  readonly log: Log;
};
export type TemporalConnection = ReturnType<typeof openTemporalConnection>;

/** Connects to Temporal lazily, without the SDK's retries. Queries of closed runs are rejected: their state may be old. */
export const openTemporalConnection = ({ connection, namespace, payloadKeys, log }: TemporalConnectionSettings) => {
  const open = () => {
    const opened: Connection = SynchronousConnection.lazy({ ...connection, channelArgs, interceptors: [] });
    // The watch and the readiness share an answer, which saves an idle API and server one call per second.
    return { opened, systemInfo: singleFlight(() => systemInfoOf(opened)), close: () => opened.close() };
  };
  const report = createReporter(log);
  const closing = new AbortController();
  let current = open();
  const watch = async (): Promise<void> => {
    const connect = () => Promise.resolve(open());
    for (;;) {
      const other = await waitForReplacement({ connection: current, connect, isSilent, signal: closing.signal });
      if (other === undefined) return;
      log.warn('the connection to temporal is silent: it is replaced');
      void current.close().catch(() => undefined); // calls in flight on the old connection go on until their deadline
      current = other;
    }
  };
  void watch();
  const options: Omit<WorkflowClientOptions, 'connection'> = {
    namespace,
    queryRejectCondition: 'NOT_OPEN',
    ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys)] } }),
  };
  return {
    workflowsUntil: (until: number) => clientUntil(until, current.opened, options),
    readiness: { dependency: 'Temporal', answers: () => current.systemInfo().then(() => report(undefined), report) },
    close: async (): Promise<void> => {
      closing.abort();
      await current.close();
    },
  };
};

const systemInfoOf = (connection: Connection): Promise<unknown> =>
  connection.withDeadline(Date.now() + SILENT_MS, () => connection.workflowService.getSystemInfo({}));

const isSilent = ({ systemInfo }: { readonly systemInfo: () => Promise<unknown> }): Promise<boolean> =>
  systemInfo().then(
    () => false,
    (error: unknown) => classifyError(error).kind === 'late',
  );

/** Takes the error of a check (undefined: Temporal answered). Logs each change, and one line per minute during an outage. */
const createReporter = (log: Log) => {
  let wasAvailable: boolean | undefined;
  const reminder = createReminder();
  return (error: unknown): boolean => {
    const isAvailable = error === undefined;
    if (!isAvailable && reminder.isDue()) log.warn({ reason: classifyError(error).reason }, 'temporal is unavailable');
    if (isAvailable) reminder.end();
    if (isAvailable && wasAvailable !== true) log.info('temporal is available');
    wasAvailable = isAvailable;
    return isAvailable;
  };
};
