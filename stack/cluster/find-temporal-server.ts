import * as E from 'fp-ts/Either';
import type { Environment } from '../environment';
import { lineOf } from '../fault';
import { firstWay } from '../find-commands';
import { buildGoTool, keptTool, type GoTool } from '../go-tool';
import type { Ground } from '../ground';
import { isExecutable, outputOf } from '../run-command';

/** `tools/temporal-server/go.mod` pins the same, and so does the command of `tools/temporal`. */
export const SERVER_VERSION = '1.31.2';

/** The commands of a Temporal cluster of one's own. */
export interface TemporalServer {
  readonly server: string;
  /** Makes and upgrades the schema of its databases. */
  readonly sqlTool: string;
}

/** Both commands, kept from before or built with Go. Errors: a fault when neither way serves. */
export const findTemporalServer = async (env: Environment, ground: Ground): Promise<TemporalServer> => ({
  server: await find(toolOf('temporal-server', 'cmd/server', env), env, ground),
  sqlTool: await find(toolOf('temporal-sql-tool', 'cmd/tools/sql', env), env, ground),
});

const toolOf = (name: string, command: string, env: Environment): GoTool<string> => ({
  title: name,
  version: SERVER_VERSION,
  module: 'temporal-server',
  package: `go.temporal.io/server/${command}`,
  linkFlags: '',
  kept: keptTool(name, SERVER_VERSION, env),
  inspect: async (path) => {
    if (!isExecutable(path)) return E.left(`${path} is not an executable file`);
    const version = await outputOf(path, ['--version'], env).catch(lineOf);
    return version.includes(SERVER_VERSION) ? E.right(path) : E.left(`${path} is ${version.trim()}`);
  },
});

const find = async (tool: GoTool<string>, env: Environment, ground: Ground): Promise<string> => {
  const { way, value } = await firstWay(`${tool.title} ${tool.version}`, [
    { name: 'kept from before', find: () => tool.inspect(tool.kept) },
    { name: 'build with Go 1.26 or newer from tools/temporal-server', find: () => buildGoTool(tool, env, ground) },
  ]);
  ground.report('temporal', `${value} (${way})`);
  return value;
};
