import v8 from 'node:v8';
import { Script, type Context, type RunningScriptOptions } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/*
 * To be loaded before the worker (`node --require`): Node loads it in the thread of the workflows too, and only there it
 * removes what the SDK's sandbox does at every step for debugging, and most of its time-outs (docs/benchmarks-tables.md, "Levers").
 */

/**
 * The promise hook, by which the SDK captures a stack for every promise of every node: more than half of the thread's time.
 * Only the query `__stack_trace` needs it: its answer is empty now.
 *
 * `promiseHooks` is replaced as a whole. Node's own `AsyncLocalStorage` hooks promises by the same object: without it the
 * SDK would lose the scope it is in after the first `await`, and cancel a node instead of a timer.
 */
const withoutPromiseHook = (): void => {
  Object.defineProperty(v8, 'promiseHooks', { value: { ...v8.promiseHooks, createHook: () => () => undefined } });
};

/**
 * The time-out of three of the four calls that each activation makes into the sandbox: Node starts and ends a thread for each.
 * It stays in `activate`, where commands run. These two only check whether the main loop may go on, and collect the requests
 * to the server.
 */
const WITHOUT_TIMEOUT: ReadonlySet<unknown> = new Set(['tryUnblockConditions', 'concludeActivation']);

interface SandboxCall extends Context {
  /** The call that the SDK leaves in the sandbox for its script: target, name, arguments. */
  readonly __temporal_args?: ReadonlyArray<unknown>;
}

const withFewTimeouts = (): void => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on each script
  const { runInContext } = Script.prototype;
  Script.prototype.runInContext = function (sandbox: SandboxCall, options?: RunningScriptOptions): unknown {
    if (!WITHOUT_TIMEOUT.has(sandbox.__temporal_args?.[1])) return runInContext.call(this, sandbox, options);
    const { timeout: _, ...others } = options ?? {};
    return runInContext.call(this, sandbox, others);
  };
};

/**
 * The SDK clones what it knows of a workflow for every log line and metric of it before it posts them to the main thread, which
 * clones them again; for the sake of Bun, and only where it finds this function.
 */
const withoutSecondClone = (): void => {
  Reflect.deleteProperty(globalThis, 'structuredClone');
};

if (!isMainThread) {
  withoutPromiseHook();
  withFewTimeouts();
  withoutSecondClone();
}
