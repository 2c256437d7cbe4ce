import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fault, lineOf } from '../stack/fault';
import { writeWhole } from './write-whole';

/** A grants file in `folder` by which every user may do everything on every node; says where it is. */
export const developmentGrants = (folder: string): string => {
  const file = join(folder, 'grants.json');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify({ grants: [{ user: '*', actions: ['*'], node: '*' }] }));
    return file;
  } catch (thrown) {
    throw fault(`cannot write ${file}: ${lineOf(thrown)}`);
  }
};
