import { renameSync, writeFileSync } from 'node:fs';
import { reasonOf } from '../process/reason-of';
import { bundleWorkflows, prebuiltBundle } from './workflow-code';

/** Prebuilds the workflow bundle: `node dist/worker/bundle.js`, part of `npm run build`. */
const main = async (): Promise<void> => {
  const { code } = await bundleWorkflows();
  writeFileSync(`${prebuiltBundle}.new`, code);
  renameSync(`${prebuiltBundle}.new`, prebuiltBundle);
};

main().catch((error: unknown) => {
  console.error(`the workflow code does not bundle: ${reasonOf(error)}`);
  process.exitCode = 1;
});
