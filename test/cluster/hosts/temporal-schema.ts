import type { Ground } from '../../../stack/ground';
import { runComposeScript } from './compose-scripts';
import type { Host } from './network';
import { POSTGRES_PASSWORD, POSTGRES_PORT, POSTGRES_USER } from './postgres';

/** The databases of a Temporal cluster, by the folder of their schema. */
export const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;

/** Makes Temporal's two databases on PostgreSQL, each with its schema of the server's version. */
export const makeDatabases = (
  { sqlTool, host, folder }: { readonly sqlTool: string; readonly host: Host; readonly folder: string },
  ground: Ground,
): Promise<void> => {
  const env = {
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: host.address,
    SQL_PORT: String(POSTGRES_PORT),
    SQL_USER: POSTGRES_USER,
    SQL_PASSWORD: POSTGRES_PASSWORD,
  };
  return runComposeScript('set-up-schema', { commands: { 'temporal-sql-tool': sqlTool }, env, folder }, ground);
};
