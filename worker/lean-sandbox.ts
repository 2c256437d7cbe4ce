import v8 from 'node:v8';
import { Script, type Context, type RunningScriptOptions } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { createReport } from './long-activations';

/*
 * To be loaded before the worker (`node --require`): Node loads it in the thread of the workflows too, and only there it
 * removes what the SDK's sandbox does at every step for debugging, and most of its time-outs (docs/contributing/benchmarks-tables.md, "Levers"),
 * and measures how long nodes run.
 */

/**
 * The SDK captures a stack for every promise of every node, for the query `__stack_trace` alone: more than half of the thread's
 * time. `promiseHooks` is replaced as a whole, lest Node's own `AsyncLocalStorage`, which uses the same object, lose its scopes.
 */
const withoutPromiseHook = (): void => {
  Object.defineProperty(v8, 'promiseHooks', { value: { ...v8.promiseHooks, createHook: () => () => undefined } });
};

/** The calls into the sandbox whose time-out goes: Node starts a thread for each. It stays in `activate`, where commands run. */
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

/** A node that runs long holds up all others of the thread. */
const withReports = (): void => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on each script
  const { runInContext } = Script.prototype;
  const report = createReport();
  Script.prototype.runInContext = function (...given: Parameters<typeof runInContext>): unknown {
    const began = performance.now();
    try {
      return runInContext.apply(this, given);
    } finally {
      report(performance.now() - began);
    }
  };
};

/** The SDK clones what it posts to the main thread, which clones it again: for the sake of Bun, where it finds this function. */
const withoutSecondClone = (): void => {
  Reflect.deleteProperty(globalThis, 'structuredClone');
};

if (!isMainThread) {
  withoutPromiseHook();
  withFewTimeouts();
  withReports();
  withoutSecondClone();
}
