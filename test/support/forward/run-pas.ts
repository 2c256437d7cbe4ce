import { join } from 'node:path';
import { projectRoot } from '../../../dev/stack/project-root';
import { runNode, type RunningProcess } from '../run-node';

/** Runs the built `pas`; nothing else is set than `env`. */
export const runPas = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): RunningProcess => {
  const { PATH, HOME } = process.env;
  return runNode([join(projectRoot, 'dist/cli/main.js'), ...args], { PATH, HOME, ...env });
};
