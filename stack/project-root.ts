import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const rootAbove = (folder: string): string =>
  existsSync(join(folder, 'package-lock.json')) || dirname(folder) === folder ? folder : rootAbove(dirname(folder));

/** The project's folder, the same from the sources and from what was built of them. */
export const projectRoot = rootAbove(__dirname);

/** Where everything that a development machine keeps lies: servers' state, keys, logs. Removing it forgets all. */
export const dataFolder = join(projectRoot, '.data');
