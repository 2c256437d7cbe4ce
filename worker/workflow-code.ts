import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

/** A module of the workflow code: compiled when this one is, else its source. */
const inWorkflows = (module: string): string =>
  path.resolve(__dirname, '../workflows', `${module}${path.extname(__filename)}`);

export const prebuiltBundle = path.resolve(__dirname, '../workflow-bundle.js');

/**
 * Globals as constants of the script: to look a global up in the sandbox takes fifty times as long. What the SDK replaces by
 * deterministic versions (`Date`, timers, `WeakRef`) stays a global; `Math.random` is replaced in `Math`.
 */
export const CONSTANTS =
  'const { Array, Boolean, Error, Float64Array, JSON, Map, Math, Number, Object, Promise, Reflect, RegExp, Set, String, Symbol, TypeError, Uint8Array } = globalThis;';

/** Bundles the workflow code; the preloaded domain is loaded once per worker and shared by its nodes. */
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
  return { code: `${CONSTANTS} ${code}` }; // on the first line, so that the source map stays right
};

export const workflowCode = async (): Promise<WorkflowBundleOption> =>
  existsSync(prebuiltBundle) ? { codePath: prebuiltBundle } : bundleWorkflows();

const quiet = (): void => undefined;
