import { join } from 'node:path';
import { projectRoot } from './stack/project-root';

/** Where everything that a development machine keeps lies: servers' state, keys, logs. Removing it forgets all. */
export const dataFolder = join(projectRoot, '.data');
