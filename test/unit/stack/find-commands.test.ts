import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { aptInstall, findRedis } from '../../../dev/stack/find-commands';
import { emptyMachine, quietGround } from './machine';

const redis = { name: 'redis', debianPackage: 'redis-server' };

test('redis-server is taken before valkey-server', async () => {
  const machine = emptyMachine();
  machine.script('bin/valkey-server', 'exit');
  const server = machine.script('bin/redis-server', 'exit');
  const lines: Array<string> = [];
  expect(await findRedis(machine.env, quietGround(lines))).toBe(server);
  expect(lines).toEqual([`redis: ${server} (redis-server on PATH)`]);
});

test('REDIS_SERVER is taken first; one that does not serve ends the search, since the user chose it', async () => {
  const machine = emptyMachine();
  machine.script('bin/redis-server', 'exit');
  const server = machine.script('bin/valkey-server', 'exit');
  for (const REDIS_SERVER of ['valkey-server', server])
    expect(await findRedis({ ...machine.env, REDIS_SERVER }, quietGround())).toBe(server);
  await expect(findRedis({ ...machine.env, REDIS_SERVER: '/none' }, quietGround())).rejects.toThrow(
    'REDIS_SERVER does not serve: /none is not an executable file',
  );
});

test('a path that begins here is that very file, whatever folder it is started in', async () => {
  const machine = emptyMachine();
  const server = machine.script('mine/redis-server', 'exit');
  const here = relative(process.cwd(), machine.folder);
  expect(await findRedis({ ...machine.env, REDIS_SERVER: join(here, 'mine/redis-server') }, quietGround())).toBe(
    server,
  );
  expect(await findRedis({ PATH: join(here, 'mine') }, quietGround())).toBe(server);
});

test('when nothing serves, one error lists every way and why not', async () => {
  await expect(findRedis(emptyMachine().env, quietGround())).rejects.toThrow(
    [
      'Redis was not found. Any one of these helps:',
      '  - REDIS_URL: set it to the address of a server, redis://host:port',
      '  - REDIS_SERVER: set it to a command, for example valkey-server',
      '  - redis-server on PATH: there is none',
      '  - valkey-server on PATH: there is none',
      '  - apt-get install redis-server: there is no apt-get on PATH',
    ].join('\n'),
  );
});

test('root installs it by apt-get, announced, and no service is started meanwhile', async () => {
  const machine = emptyMachine();
  const policy = join(machine.folder, 'policy-rc.d');
  machine.script(
    'bin/apt-get',
    `[ "$(${policy}; echo $?)" = 101 ] || exit 9
     [ "$DEBIAN_FRONTEND" = noninteractive ] || exit 8
     case "$*" in *update) touch ${machine.folder}/updated ;; *install*redis-server)
       [ -e ${machine.folder}/updated ] || exit 7
       echo exit > ${machine.folder}/bin/redis-server; chmod 755 ${machine.folder}/bin/redis-server ;; esac`,
  );
  const lines: Array<string> = [];
  await aptInstall(redis, machine.env, quietGround(lines), { policy, isRoot: true });
  expect(lines[0]).toBe('redis: installing redis-server by apt-get ...');
  expect(existsSync(policy)).toBe(false);
});
