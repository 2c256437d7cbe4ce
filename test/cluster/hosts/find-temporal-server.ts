import type { Environment } from '../../../stack/environment';
import { findGoTool, versionedTool } from '../../../stack/go-tool';
import type { Ground } from '../../../stack/ground';

/** `tools/temporal-server/go.mod` pins the same, and so does the command of `tools/temporal`. */
const VERSION = '1.31.2';

/** The commands of a Temporal cluster of one's own. */
export interface TemporalServer {
  readonly server: string;
  /** Makes and upgrades the schema of its databases. */
  readonly sqlTool: string;
}

/** Both commands, kept from before or built with Go. Errors: a fault when neither way serves. */
export const findTemporalServer = async (env: Environment, ground: Ground): Promise<TemporalServer> => {
  const find = (name: string, command: string): Promise<string> => {
    const plan = { name, version: VERSION, module: 'temporal-server', package: `go.temporal.io/server/${command}` };
    return findGoTool(versionedTool({ ...plan, linkFlags: '' }, env), env, ground);
  };
  return {
    server: await find('temporal-server', 'cmd/server'),
    sqlTool: await find('temporal-sql-tool', 'cmd/tools/sql'),
  };
};
