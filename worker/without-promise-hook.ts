import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/**
 * To be loaded before the worker (`node --require`): Node loads it in the thread of the workflows too, and only there it
 * takes the promise hook away, with which the SDK captures a stack for every promise of every node. That took more than
 * half of the thread's time (docs/benchmarks.md). Only the query `__stack_trace` needs it: its answer is empty now.
 */
if (!isMainThread) v8.promiseHooks.createHook = () => () => undefined;
