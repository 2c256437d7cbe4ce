import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const rootAbove = (folder: string): string =>
  existsSync(join(folder, 'package-lock.json')) || dirname(folder) === folder ? folder : rootAbove(dirname(folder));

/** The project's folder. It is the same for the sources and for the compiled files in `dist/`. */
export const projectRoot = rootAbove(__dirname);

/** The folder of everything that a development machine keeps: servers' state, keys, logs. To begin anew, remove it. */
export const dataFolder = join(projectRoot, '.data');
