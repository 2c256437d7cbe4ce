import v8 from 'node:v8';
import { Script, type Context, type RunningScriptOptions } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { createLongActivationReporter } from './long-activations';

/*
 * Load this file before the worker (`node --require`): Node then also loads it in the SDK's workflow thread, and the file acts
 * only in that thread. It removes debugging work that the SDK's sandbox does at every step, and most of the sandbox's time-outs
 * (docs/contributing/benchmarks-tables.md, "In the sandbox"). It also measures how long the code of nodes runs.
 */

/**
 * The SDK captures a stack for every promise of every node, only to answer the query `__stack_trace`. This takes more than half
 * of the thread's time. `promiseHooks` is replaced, not changed, because Node's `AsyncLocalStorage` uses the original object.
 */
const withoutPromiseHook = (): void => {
  Object.defineProperty(v8, 'promiseHooks', { value: { ...v8.promiseHooks, createHook: () => () => undefined } });
};

/**
 * The SDK's calls into the sandbox that get no time-out, because Node would start a thread for each time-out. `activate`, the
 * call that runs commands, keeps its time-out.
 */
const WITHOUT_TIMEOUT: ReadonlySet<unknown> = new Set(['tryUnblockConditions', 'concludeActivation']);

interface SandboxCall extends Context {
  /** The call that the SDK's script shall make in the sandbox (target, name, arguments); the SDK leaves it here. */
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

/** Measures how long each call into the sandbox takes: while the code of one node runs, all nodes of the thread wait. */
const withReports = (): void => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called on each script
  const { runInContext } = Script.prototype;
  const report = createLongActivationReporter();
  Script.prototype.runInContext = function (...given: Parameters<typeof runInContext>): unknown {
    const began = performance.now();
    try {
      return runInContext.apply(this, given);
    } finally {
      report(performance.now() - began);
    }
  };
};

/** If the SDK finds `structuredClone`, it clones messages to the main thread, for Bun's sake. Posting copies them anyway. */
const withoutSecondClone = (): void => {
  Reflect.deleteProperty(globalThis, 'structuredClone');
};

if (!isMainThread) {
  withoutPromiseHook();
  withFewTimeouts();
  withReports();
  withoutSecondClone();
}
