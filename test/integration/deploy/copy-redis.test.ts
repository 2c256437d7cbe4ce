import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { foundCommands } from '../../support/ground';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';
import { folderOfTest } from '../../support/temporary-folder';

let ground: RedisGround;
let server: RedisProcess;
beforeAll(async () => {
  ground = await redisGround();
  server = await ground.server();
});
afterAll(() => ground.stop());

const BEGAN = Date.UTC(2026, 0, 31, 0, 0) / 1_000;
const QUARTER = 900;

/** The checker of the server that runs here, such as Valkey's, lies beside it. */
const withServers = [process.env['PATH'], dirname(foundCommands(process.env).redis ?? '/usr/bin/redis-server')].join(
  delimiter,
);

/** Copies Redis as it is, at a quarter of an hour; the exit code, and what it reports. */
const copied = (folder: string, quarter: number) => {
  const script = join(projectRoot, 'deploy/redis/copy-redis.sh');
  const env = { ...process.env, PATH: withServers, NOW: String(BEGAN + quarter * QUARTER) };
  const { status, stderr } = spawnSync('sh', [script, folder, 'redis-cli', '-u', server.url], {
    env,
    encoding: 'utf8',
  });
  return { status, stderr };
};
const copiesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.rdb'))
    .sort();

const fill = async (events: number): Promise<void> => {
  const client = await createClient({ url: server.url }).connect();
  await client.flushAll();
  for (let at = 0; at < events; at += 1) await client.xAdd('point-alarm-events', '*', { at: String(at) });
  if (events > 0) await client.set('point-alarm:published', 'x');
  client.destroy();
};

test('copies are kept by age, and an empty Redis replaces none of them', { timeout: 300_000 }, async () => {
  const folder = folderOfTest();
  await fill(20);
  for (const quarter of [0, 1, 2, 3, 4, 97, 100, 101, 102, 190, 191])
    expect(copied(folder, quarter)).toMatchObject({ status: 0 });
  // Of the first day one, of the second the newest of each hour, and all of the last two hours.
  const good = [
    ...['redis-2026-01-31T010000.rdb', 'redis-2026-02-01T001500.rdb', 'redis-2026-02-01T013000.rdb'],
    ...['redis-2026-02-01T233000.rdb', 'redis-2026-02-01T234500.rdb'],
  ];
  expect(copiesIn(folder)).toEqual(good);

  await fill(0);
  for (const quarter of [192, 193, 194, 195]) {
    const { status, stderr } = copied(folder, quarter);
    expect([status, stderr]).toEqual([1, expect.stringContaining('no copy was replaced')]);
  }
  expect(copiesIn(folder)).toEqual(good);
  expect(readdirSync(folder).filter((name) => name.endsWith('.suspect'))).toHaveLength(4);
  await fill(20);
  expect(copied(folder, 196)).toMatchObject({ status: 0 });
  expect(copiesIn(folder).at(-1)).toBe('redis-2026-02-02T010000.rdb');
});

test.each([
  ['does not answer', ['redis-cli', '-p', '1']],
  ['answers an error', ['sh', '-c', 'echo ERR wrong']],
])('a Redis that %s leaves nothing', (_, command) => {
  const folder = folderOfTest();
  const script = join(projectRoot, 'deploy/redis/copy-redis.sh');
  const { status } = spawnSync('sh', [script, folder, ...command], { encoding: 'utf8' });
  expect([status, readdirSync(folder)]).toEqual([1, []]);
});
