import { outputOf } from '../../../stack/run-command';
import type { Host } from './network';
import { POSTGRES_PASSWORD, POSTGRES_PORT, POSTGRES_USER } from './postgres';

/** The databases of a Temporal cluster, by the folder of their schema. */
export const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;

/** Makes Temporal's two databases on PostgreSQL, each with its schema of the server's version. */
export const makeDatabases = async (sqlTool: string, { address }: Host): Promise<void> => {
  for (const [schema, database] of Object.entries(DATABASES)) {
    const to = ['--plugin', 'postgres12', '--ep', address, '-p', String(POSTGRES_PORT)];
    const as = ['-u', POSTGRES_USER, '--pw', POSTGRES_PASSWORD, '--db', database];
    const tool = (...args: ReadonlyArray<string>) => outputOf(sqlTool, [...to, ...as, ...args], process.env);
    await tool('create');
    await tool('setup-schema', '-v', '0.0');
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
};
