import * as E from 'fp-ts/Either';
import { setting, type Environment } from './environment';
import { fault } from './fault';
import { firstWay } from './find-commands';
import type { Ground } from './ground';
import { buildTemporal, downloadTemporal } from './obtain-temporal';
import { onPath } from './run-command';
import { inspectTemporal, keptPath, PINNED_VERSION, type TemporalCommand } from './temporal-command';

/**
 * The Temporal command, by the first way that serves: TEMPORAL_CLI, PATH, the one kept from before, the SDK's download, a
 * build with Go. What is downloaded or built is kept in the user's cache folder.
 *
 * Errors: a fault when TEMPORAL_CLI is set and does not serve, or when no way does.
 */
export const findTemporal = async (env: Environment, ground: Ground): Promise<TemporalCommand> => {
  const onPathOf = onPath('temporal', env);
  const { way, value } = await firstWay('Temporal (a command of version 1.8 or newer)', [
    { name: 'TEMPORAL_ADDRESS', find: () => E.left('set it to the address of a server, host:port') },
    { name: 'TEMPORAL_CLI', find: () => named(env) },
    {
      name: 'temporal on PATH',
      find: () => (onPathOf === undefined ? E.left('there is none') : inspectTemporal(onPathOf, env)),
    },
    { name: 'kept from before', find: () => inspectTemporal(keptPath(env), env) },
    { name: 'download by the SDK', find: () => downloadTemporal(env, ground) },
    { name: 'build with Go 1.26 or newer from tools/temporal', find: () => buildTemporal(env, ground) },
  ]);
  ground.report('temporal', `${value.path}, ${value.version} (${way})`);
  return value;
};

const named = async (env: Environment): Promise<E.Either<string, TemporalCommand>> => {
  const path = setting(env, 'TEMPORAL_CLI');
  if (path === undefined)
    return E.left(`set it to the path of a temporal command, for instance of version ${PINNED_VERSION}`);
  const found = await inspectTemporal(path, env);
  if (E.isLeft(found)) throw fault(`TEMPORAL_CLI does not serve: ${found.left}`);
  return found;
};
