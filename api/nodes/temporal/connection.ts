import { AsyncLocalStorage } from 'node:async_hooks';
import { type CallContext, Connection, WorkflowClient, type WorkflowClientOptions } from '@temporalio/client';
import type { ConnectionCtorOptions, RPCImplOptions } from '@temporalio/client/lib/connection';
import type { Log } from '../../../process/log';
import { payloadEncryption } from '../../../process/payload-encryption';
import type { TemporalSettings } from '../../../process/settings';
import { createReminder } from '../../../process/reminder';
import { replacementOf, SILENT_MS } from '../../../process/silent-connection';
import { classifyError } from './errors';

/** The nodes' side of Temporal's client: all of its requests end at `until` (`performance.now()`). */
export type WorkflowsUntil = (until: number) => WorkflowClient;

/**
 * Holds a value for the synchronous calls that `run` makes, not for their continuations. Node 20's own storage hooks every promise of
 * the process once it is used: a sixth of the rate of cached reads (docs/contributing/benchmarks-tables.md, "Others").
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

/** The SDK's connection; `withDeadline` and its like apply to the requests made synchronously. */
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

/** A time by `performance.now()` as the client takes it: by a clock that may be set back or forward between two requests. */
const epochMs = (time: number): number => Date.now() + time - performance.now();

/** The client sends its requests some promises after it was called, so each call has its own client with the deadline. */
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
 * Reconnecting. Each connection is its own, or another one to the same address would share its socket. `replacementOf` finds
 * one that went silent; an idle one is not pinged, and one in use every 30 s, the SDK's default: the server's minimum is 10 s.
 */
const channelArgs = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.use_local_subchannel_pool': 1,
};

type LinkSettings = Pick<TemporalSettings, 'connection' | 'namespace' | 'payloadKeys'> & { readonly log: Log };
export type TemporalLink = ReturnType<typeof connect>;

/** Temporal, by a client that needs no server yet and retries nothing. Closed runs are not queried: they have no state. */
export const connect = ({ connection, namespace, payloadKeys, log }: LinkSettings) => {
  const open = (): Connection => SynchronousConnection.lazy({ ...connection, channelArgs, interceptors: [] });
  const report = createReporter(log);
  const closing = new AbortController();
  let link = open();
  const watch = async (): Promise<void> => {
    const connect = () => Promise.resolve(open());
    for (;;) {
      const other = await replacementOf({ connection: link, connect, isSilent, signal: closing.signal });
      if (other === undefined) return;
      log.warn('the connection to temporal is silent: it is replaced');
      void link.close().catch(() => undefined); // calls on it go on until their deadline
      link = other;
    }
  };
  void watch();
  const options: Omit<WorkflowClientOptions, 'connection'> = {
    namespace,
    queryRejectCondition: 'NOT_OPEN',
    ...(payloadKeys !== undefined && { dataConverter: { payloadCodecs: [payloadEncryption(payloadKeys)] } }),
  };
  return {
    workflowsUntil: (until: number) => clientUntil(until, link, options),
    readiness: { dependency: 'Temporal', answers: () => systemInfo(link).then(() => report(undefined), report) },
    close: async (): Promise<void> => {
      closing.abort();
      await link.close();
    },
  };
};

const systemInfo = (link: Connection): Promise<unknown> =>
  link.withDeadline(Date.now() + SILENT_MS, () => link.workflowService.getSystemInfo({}));

const isSilent = (link: Connection): Promise<boolean> =>
  systemInfo(link).then(
    () => false,
    (error: unknown) => classifyError(error).kind === 'late',
  );

/** Returns whether Temporal answered, and logs it where it differs from the last time, and each minute that it does not. */
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
