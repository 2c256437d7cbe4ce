import { copyFileSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../stack/project-root';
import { bundleWorkflows } from '../../../worker/workflow-code';

/** Builds a next release of this project in `folder`: all is as it was built, but the workflow. Its worker's entry file. */
export const buildNextRelease = async (folder: string): Promise<string> => {
  cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true });
  copyFileSync(join(projectRoot, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const { code } = await bundleWorkflows(join(__dirname, 'next.workflow.ts'));
  writeFileSync(join(folder, 'dist/workflow-bundle.js'), code);
  return join(folder, 'dist/worker/main.js');
};
