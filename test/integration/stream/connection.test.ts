import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectRedis, type RedisConnection } from '../../../stream/connection';
import { recordedLog } from '../../support/recorded-log';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';

const { log, records } = recordedLog();
const said = () => records.map(({ msg }) => msg);

let ground: RedisGround;
let server: RedisProcess;
let link: RedisConnection | undefined;

beforeEach(async () => {
  records.length = 0;
  ground = await redisGround();
  server = await ground.server();
});

afterEach(async () => {
  await link?.close();
  link = undefined;
  await ground.stop();
});

describe('the link to Redis', { timeout: 30_000 }, () => {
  test('comes about though Redis starts later, and says so once', async () => {
    await server.kill();
    link = connect();
    expect(await link.answers()).toBe(false);
    await sleep(1_500); // several tries
    await server.start();
    await vi.waitUntil(() => link?.answers(), 8_000);
    expect(said()).toEqual(['redis is unavailable', 'redis is available']);
    expect(await link.client.set('a', '1')).toBe('OK');
  });

  test('fails its commands at once while Redis is unavailable, and comes back by itself', async () => {
    link = connect();
    await vi.waitUntil(() => link?.answers(), 8_000);
    await server.kill();
    await vi.waitUntil(async () => (await link?.answers()) === false, 8_000);
    const asked = performance.now();
    await expect(link.client.set('a', '1')).rejects.toThrow();
    expect(performance.now() - asked).toBeLessThan(100);
    await server.start();
    await vi.waitUntil(() => link?.answers(), 8_000);
    await vi.waitUntil(() => said().length === 3, 8_000);
    expect(said()).toEqual(['redis is available', 'redis is unavailable', 'redis is available']);
  });

  test('fails what waits for a server that hangs, however often it is written to, and comes back by itself', async () => {
    link = connect();
    await vi.waitUntil(() => link?.answers(), 8_000);
    const { client } = link;
    server.freeze();
    const stopped = performance.now();
    const writing = setInterval(() => void client.set('a', '1').catch(() => undefined), 100);
    await expect(client.set('b', '1')).rejects.toThrow();
    const waited = performance.now() - stopped;
    expect(waited).toBeGreaterThan(1_000);
    expect(waited).toBeLessThan(3_500);
    expect(await link.answers()).toBe(false);
    await sleep(5_000); // it tries to connect to a server that takes connections and says nothing
    clearInterval(writing);
    server.thaw();
    await vi.waitUntil(() => link?.answers(), 8_000);
    await vi.waitUntil(() => said().length === 3, 8_000);
    expect(said()).toEqual(['redis is available', 'redis is unavailable', 'redis is available']);
  });

  test('answers no within two seconds and a bit while the server hangs', async () => {
    link = connect();
    await vi.waitUntil(() => link?.answers(), 8_000);
    server.freeze();
    const asked = performance.now();
    expect(await link.answers()).toBe(false);
    expect(performance.now() - asked).toBeLessThan(2_500);
    server.thaw();
  });

  test('keeps a wrong password out of what it logs, and keeps trying', async () => {
    await server.start('--requirepass', 'right');
    link = connect('redis://:wrong-secret@127.0.0.1');
    await vi.waitUntil(() => said().includes('redis is unavailable'), 8_000);
    expect(JSON.stringify(records)).not.toContain('wrong-secret');
    expect(records[0]?.['reason']).toContain('WRONGPASS');
    await link.close();
    link = connect('redis://:right@127.0.0.1');
    await vi.waitUntil(() => link?.answers(), 8_000);
  });

  test('closes when the commands in flight are done', async () => {
    link = connect();
    await vi.waitUntil(() => link?.answers(), 8_000);
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
    link = connect();
    await vi.waitUntil(() => link?.answers(), 8_000);
    server.child().signal(signal);
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

const connect = (url = 'redis://127.0.0.1'): RedisConnection =>
  connectRedis({ url: `${url}:${server.port}`, log, name: 'test' });
