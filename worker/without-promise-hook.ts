import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/**
 * To be loaded before the worker (`node --require`): Node loads it in the thread of the workflows too, and only there it
 * takes the promise hook away, with which the SDK captures a stack for every promise of every node. That took more than
 * half of the thread's time (docs/benchmarks.md). Only the query `__stack_trace` needs it: its answer is empty now.
 *
 * `promiseHooks` is replaced as a whole. Node's own `AsyncLocalStorage` hooks promises by the same object: without it the
 * SDK would lose the scope it is in after the first `await`, and cancel a node instead of a timer.
 */
if (!isMainThread)
  Object.defineProperty(v8, 'promiseHooks', { value: { ...v8.promiseHooks, createHook: () => () => undefined } });
