import { join } from 'node:path';
import { developmentGrants, developmentKey } from '../dev-auth';
import { dataFolder } from '../project-root';
import { runEntry } from './run-entry';

/** Makes the development key and grants where `npm start` would; for docker-compose.yml, which has no supervisor. */
const main = async (): Promise<number> => {
  const folder = join(dataFolder, 'dev-auth');
  await developmentKey(folder);
  developmentGrants(folder);
  return 0;
};

void runEntry(main);
