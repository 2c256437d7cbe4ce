import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

/** Path of `module` below workflows/: of its compiled file if this file itself is compiled, else of its source. */
const inWorkflows = (module: string): string =>
  path.resolve(__dirname, '../workflows', `${module}${path.extname(__filename)}`);

export const prebuiltBundle = path.resolve(__dirname, '../workflow-bundle.js');

/**
 * Turns globals into constants of the script, because looking up a global in the sandbox takes fifty times as long. `Date`,
 * timers and `WeakRef` stay globals: the SDK replaces them by deterministic versions. In `Math` the SDK replaces only `random`.
 */
export const CONSTANTS =
  'const { Array, Boolean, Error, Float64Array, JSON, Map, Math, Number, Object, Promise, Reflect, RegExp, Set, String, Symbol, TypeError, Uint8Array } = globalThis;';

/** Bundles the workflow code. A worker loads the preloaded domain once, and its nodes share it. */
export const bundleWorkflows = async (
  workflowsPath: string = inWorkflows('point-alarm.workflow'),
  preloadModules: string[] = [inWorkflows('domain/index')],
): Promise<{ code: string }> => {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules,
    payloadConverterPath: inWorkflows('sandbox'),
    workflowInterceptorModules: [inWorkflows('sandbox')],
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error },
  });
  return { code: `${CONSTANTS} ${code}` }; // on the code's first line, so that the line numbers of the source map stay right
};

export const workflowCode = async (): Promise<WorkflowBundleOption> =>
  existsSync(prebuiltBundle) ? { codePath: prebuiltBundle } : bundleWorkflows();

const quiet = (): void => undefined;
