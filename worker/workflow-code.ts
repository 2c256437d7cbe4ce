import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

/** A module of the workflow code: compiled when this one is, else its source. */
const inWorkflows = (module: string): string =>
  path.resolve(__dirname, '../workflows', `${module}${path.extname(__filename)}`);

/** Where `npm run build` keeps the bundle. */
export const prebuiltBundle = path.resolve(__dirname, '../workflow-bundle.js');

/** Bundles the workflow code; the domain is loaded once a worker and shared by its nodes (201 KB a node instead of 493). */
export const bundleWorkflows = (workflowsPath: string = inWorkflows('index')): Promise<{ code: string }> =>
  bundleWorkflowCode({
    workflowsPath,
    preloadModules: [inWorkflows('domain/index')],
    payloadConverterPath: inWorkflows('payload-converter'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error },
  });

/** The prebuilt bundle, or one made now. */
export const workflowCode = async (): Promise<WorkflowBundleOption> =>
  existsSync(prebuiltBundle) ? { codePath: prebuiltBundle } : bundleWorkflows();

const quiet = (): void => undefined;
