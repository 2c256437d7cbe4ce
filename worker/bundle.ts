import { renameSync, writeFileSync } from 'node:fs';
import { reasonOf } from '../process/reason-of';
import { bundleWorkflows, prebuiltBundle } from './workflow-code';

/** Builds the workflow bundle in advance. `npm run build` does this by `node dist/worker/bundle.js`. */
const main = async (): Promise<void> => {
  const { code } = await bundleWorkflows();
  writeFileSync(`${prebuiltBundle}.new`, code);
  renameSync(`${prebuiltBundle}.new`, prebuiltBundle);
};

main().catch((error: unknown) => {
  console.error(`the workflow code does not bundle: ${reasonOf(error)}`);
  process.exitCode = 1;
});
