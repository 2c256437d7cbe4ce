import { AsyncLocalStorage } from 'node:async_hooks';
import { Connection, WorkflowClient, type CallContext, type WorkflowClientOptions } from '@temporalio/client';
import type { ConnectionCtorOptions, RPCImplOptions } from '@temporalio/client/lib/connection';

/** The nodes' side of Temporal's client: all of its requests end at `until` (epoch ms). */
export type WorkflowsUntil = (until: number) => WorkflowClient;

/**
 * Holds a value for the synchronous calls that `run` makes, not for their continuations.
 *
 * Node 20's own storage hooks every promise of the process as soon as it is used: a sixth of the rate of cached reads
 * (docs/benchmarks-tables.md, "Others").
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
export class SynchronousConnection extends Connection {
  protected static override generateRPCImplementation(
    options: RPCImplOptions,
  ): ReturnType<(typeof Connection)['generateRPCImplementation']> {
    return super.generateRPCImplementation({ ...options, callContextStorage: context });
  }

  protected constructor(options: ConnectionCtorOptions) {
    super({ ...options, callContextStorage: context });
  }
}

/** The client sends its requests some promises after it was called, so each call has its own client with the deadline. */
export const workflowsUntil =
  (connection: Connection, options: Omit<WorkflowClientOptions, 'connection'>): WorkflowsUntil =>
  (until) => {
    const workflowService = new Proxy(connection.workflowService, {
      get: (service, name) => {
        const request = Reflect.get(service, name) as (content: unknown) => Promise<unknown>;
        return (content: unknown) => connection.withDeadline(until, () => request(content));
      },
    });
    const bound = new Proxy(connection, {
      get: (all, name): unknown => (name === 'workflowService' ? workflowService : Reflect.get(all, name)),
    });
    return new WorkflowClient({ ...options, connection: bound });
  };
