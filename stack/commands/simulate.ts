import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../project-root';
import { runEntry } from './run-entry';

/** `npm run simulate`: the real code over modelled servers, in virtual time (docs/reliability.md, "Simulated"). */
const main = async (): Promise<number> => {
  const args = ['--import', 'tsx', join(projectRoot, 'test/simulation/main.ts'), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
};

void runEntry(main);
