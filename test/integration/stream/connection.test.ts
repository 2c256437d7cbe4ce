import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectRedis, type RedisLink } from '../../../stream/connection';
import { recordedLog } from '../../support/recorded-log';

const { log, records } = recordedLog();
const said = () => records.map(({ msg }) => msg);

let folder: string;
let port: number;
let server: ChildProcess | undefined;
let link: RedisLink | undefined;

beforeEach(async () => {
  records.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'redis-link-'));
  port = await freePort();
});

afterEach(async () => {
  await link?.close();
  link = undefined;
  await kill();
  await rm(folder, { recursive: true, force: true });
});

describe('the link to Redis', { timeout: 30_000 }, () => {
  test('comes about though Redis starts later, and says so once', async () => {
    link = connect();
    expect(await link.answers()).toBe(false);
    await sleep(1_500); // several tries
    start();
    await until(() => link?.answers());
    expect(said()).toEqual(['redis is unavailable', 'redis is available']);
    expect(await link.client.set('a', '1')).toBe('OK');
  });

  test('fails its commands at once while Redis is unavailable, and comes back by itself', async () => {
    start();
    link = connect();
    await until(() => link?.answers());
    await kill();
    await until(async () => (await link?.answers()) === false);
    const asked = performance.now();
    await expect(link.client.set('a', '1')).rejects.toThrow();
    expect(performance.now() - asked).toBeLessThan(100);
    start();
    await until(() => link?.answers());
    await until(() => said().length === 3);
    expect(said()).toEqual(['redis is available', 'redis is unavailable', 'redis is available']);
  });

  test('fails what waits for a server that hangs, however often it is written to, and comes back by itself', async () => {
    start();
    link = connect();
    await until(() => link?.answers());
    const { client } = link;
    server?.kill('SIGSTOP');
    const stopped = performance.now();
    const writing = setInterval(() => void client.set('a', '1').catch(() => undefined), 100);
    await expect(client.set('b', '1')).rejects.toThrow();
    const waited = performance.now() - stopped;
    expect(waited).toBeGreaterThan(1_000);
    expect(waited).toBeLessThan(3_500);
    expect(await link.answers()).toBe(false);
    await sleep(5_000); // it tries to connect to a server that takes connections and says nothing
    clearInterval(writing);
    server?.kill('SIGCONT');
    await until(() => link?.answers());
    await until(() => said().length === 3);
    expect(said()).toEqual(['redis is available', 'redis is unavailable', 'redis is available']);
  });

  test('answers no within two seconds and a bit while the server hangs', async () => {
    start();
    link = connect();
    await until(() => link?.answers());
    server?.kill('SIGSTOP');
    const asked = performance.now();
    expect(await link.answers()).toBe(false);
    expect(performance.now() - asked).toBeLessThan(2_500);
    server?.kill('SIGCONT');
  });

  test('keeps a wrong password out of what it logs, and keeps trying', async () => {
    start('--requirepass', 'right');
    link = connect('redis://:wrong-secret@127.0.0.1');
    await until(() => said().includes('redis is unavailable'));
    expect(JSON.stringify(records)).not.toContain('wrong-secret');
    expect(records[0]?.['reason']).toContain('WRONGPASS');
    await link.close();
    link = connect('redis://:right@127.0.0.1');
    await until(() => link?.answers());
  });

  test('closes when the commands in flight are done', async () => {
    start();
    link = connect();
    await until(() => link?.answers());
    const { client } = link;
    const commands = Array.from({ length: 1_000 }, () => client.incr('count'));
    await link.close();
    expect((await Promise.all(commands)).at(-1)).toBe(1_000);
  });

  test.each([
    ['answers', 'SIGCONT'],
    ['hangs', 'SIGSTOP'],
    ['is gone', 'SIGKILL'],
  ] as const)('closes within three seconds while the server %s, and leaves no connection', async (_, signal) => {
    start();
    link = connect();
    await until(() => link?.answers());
    server?.kill(signal);
    const pending = link.client.set('a', '1').then(
      () => 'done',
      () => 'failed',
    );
    const asked = performance.now();
    await link.close();
    expect(performance.now() - asked).toBeLessThan(3_000);
    expect(link.client.isOpen).toBe(false);
    expect(['done', 'failed']).toContain(await pending);
    await link.close(); // again: no harm
  });
});

const connect = (url = 'redis://127.0.0.1'): RedisLink => connectRedis({ url: `${url}:${port}`, log, name: 'test' });

const start = (...more: string[]): void => {
  const quiet = ['--save', '', '--appendonly', 'no', '--dir', folder, '--bind', '127.0.0.1'];
  server = spawn('redis-server', ['--port', String(port), ...quiet, ...more], { stdio: 'ignore' });
};

const kill = async (): Promise<void> => {
  const child = server;
  server = undefined;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const freePort = async (): Promise<number> => {
  for (;;) {
    const wanted = 15_000 + Math.floor(Math.random() * 15_000);
    const probe = createServer();
    probe.listen(wanted, '127.0.0.1');
    const free = await Promise.race([
      once(probe, 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]);
    if (!free) continue;
    const { port: found } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    return found;
  }
};

const until = async (holds: () => Promise<boolean> | boolean | undefined): Promise<void> => {
  const end = performance.now() + 8_000;
  while ((await holds()) !== true) {
    if (performance.now() > end) throw new Error('did not come about within 8 s');
    await sleep(20);
  }
};
