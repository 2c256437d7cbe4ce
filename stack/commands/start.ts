import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, projectRoot } from '../project-root';
import { reportTo } from '../report';
import { listenForInterrupts } from '../service/interrupts';
import { entries } from '../service/start-service';
import { supervise } from '../service/supervise';
import { runEntry } from './run-entry';

/** `npm start`: everything on this machine, until Ctrl-C. Settings come from the environment, then from `.env`. */
const main = async (): Promise<number> => {
  const interrupts = listenForInterrupts(process.env['npm_lifecycle_event'] !== undefined);
  const settings = join(projectRoot, '.env');
  if (existsSync(settings)) process.loadEnvFile(settings);
  process.stdout.on('error', () => undefined); // a closed reader stops nothing
  await supervise({
    env: process.env,
    folder: dataFolder,
    entries,
    ports: { temporal: 7233, ui: 8233, redis: 6379 },
    interrupts,
    report: reportTo(process.stdout),
    print: (line) => process.stdout.write(`${line}\n`),
  });
  return 0;
};

void runEntry(main);
