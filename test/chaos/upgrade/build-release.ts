import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../dev/stack/project-root';
import { bundleWorkflows } from '../../../worker/workflow-code';

/** Builds another release of this project in `folder`: all is as it was built, but the workflow. Its worker's entry file. */
export const buildRelease = async (folder: string, workflowsPath: string): Promise<string> => {
  mkdirSync(folder);
  cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true });
  copyFileSync(join(projectRoot, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  const { code } = await bundleWorkflows(workflowsPath);
  writeFileSync(join(folder, 'dist/workflow-bundle.js'), code);
  return join(folder, 'dist/worker/main.js');
};
