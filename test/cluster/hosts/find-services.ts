import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, isExecutable, onPath } from '../../../dev/stack/environment';
import { aptSource, findRedis, findInSources, rejectSource } from '../../../dev/stack/find-commands';
import type { Ground } from '../../../dev/stack/ground';

/** The commands of what stands beside Temporal in a cluster. */
export interface ServiceCommands {
  readonly haproxy: string;
  readonly redis: string;
  /** The folder of PostgreSQL's commands. */
  readonly postgres: string;
}

/** The commands of a cluster, installed where that is possible. Errors: a fault when one is missing. */
export const findServices = async (env: Environment, ground: Ground): Promise<ServiceCommands> => {
  await find('iproute2', 'ip', env, ground);
  await find('nftables', 'nft', env, ground);
  return {
    haproxy: await find('haproxy', 'haproxy', env, ground),
    redis: await findRedis(env, ground),
    // Its other commands are beside the file itself, not beside a link to it.
    postgres: dirname(realpathSync(await find('postgresql', 'postgres', env, ground))),
  };
};

const find = async (debianPackage: string, command: string, env: Environment, ground: Ground): Promise<string> => {
  const there = (): string => locate(command, env) ?? rejectSource('there is none');
  const ways = [
    { name: `${command} on PATH`, find: there },
    aptSource({ name: command, debianPackage }, env, ground, there),
  ];
  const { value } = await findInSources(command, ways, ground);
  return value;
};

/** Debian keeps PostgreSQL's commands in a folder of their version, and others where only root looks. */
export const locate = (command: string, env: Environment): string | undefined =>
  onPath(command, env) ?? [...SYSTEM, ...postgresFolders()].map((folder) => join(folder, command)).find(isExecutable);

const SYSTEM = ['/usr/sbin', '/sbin'];
const POSTGRES = '/usr/lib/postgresql';

const postgresFolders = (): ReadonlyArray<string> => {
  try {
    const versions = readdirSync(POSTGRES).sort((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(POSTGRES, version, 'bin'));
  } catch {
    return [];
  }
};
