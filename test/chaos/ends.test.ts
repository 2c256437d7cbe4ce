import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, readiness } from './probe';
import { settingOf } from './scenario';
import { seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

/** All of stopping, on a machine that does other work as well. */
const WITHIN_MS = 11_000;

afterEach(async () => {
  const { temporal, redis, workers, apis } = stack();
  for (const part of [temporal, redis]) part.thaw();
  for (const part of [...workers, ...apis]) await part.startIfGone();
});

describe('an API that gets SIGTERM', () => {
  test('says so first, takes calls until it was seen, and answers those in flight', async () => {
    const setting = settingOf(stack(), tail(), { seed, nodes: 1, nextBase: () => stack().apis[0].url });
    const { recorder, asks, nodes, caller } = setting;
    const [api] = stack().apis;
    const [nodeId = ''] = nodes;
    await recorder.send(nodeId, asks.threshold(), { keyed: true });
    const ending = api.terminate();
    await eventually(
      () => readiness(caller, api.url),
      ({ status, body }) => status === 503 && body.includes('stopping'),
      1_500,
    );
    const writes = Array.from({ length: 20 }, () => recorder.send(nodeId, asks.measurement(), { keyed: false }));
    expect(new Set((await Promise.all(writes)).map(({ answer }) => answer))).toEqual(new Set(['acknowledged']));
    const { exit, ms } = await ending;
    expect(exit).toBe('exit code 0');
    expect(ms).toBeLessThan(WITHIN_MS);
    caller.close();
  });

  test('ends in time though Temporal hangs with calls in flight, and a caller never finishes its request', async () => {
    const [api] = stack().apis;
    const setting = settingOf(stack(), tail(), { seed: seed + 1, nodes: 3, nextBase: () => api.url });
    const { recorder, asks, nodes, caller } = setting;
    const endless = request(`${api.url}/v1/alarm-status/${nodes[0] ?? ''}`, { method: 'PUT' });
    endless.on('error', () => undefined);
    endless.flushHeaders();
    stack().temporal.freeze();
    const writes = nodes.map((nodeId) => recorder.send(nodeId, asks.threshold(), { keyed: false }));
    await sleep(300);
    const { ms } = await api.terminate();
    expect(ms).toBeLessThan(WITHIN_MS);
    for (const { answer } of await Promise.all(writes)) expect(answer).not.toBe('acknowledged');
    endless.destroy();
    caller.close();
  });
});

describe('a worker that gets SIGTERM', () => {
  test.each(['works', 'Redis hangs', 'Redis is dead', 'Temporal hangs'] as const)('ends in time: %s', async (how) => {
    const { workers, redis, temporal } = stack();
    const setting = settingOf(stack(), tail(), { seed: seed + 2, nodes: 20 });
    const { recorder, asks, nodes, caller } = setting;
    await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, asks.threshold(), { keyed: true })));
    if (how === 'Redis hangs') redis.freeze();
    if (how === 'Redis is dead') await redis.kill();
    await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, asks.measurement(), { keyed: true })));
    if (how === 'Temporal hangs') temporal.freeze();
    const { exit, ms } = await workers[0].terminate();
    console.log(`worker, ${how}: ${exit} after ${ms} ms`);
    expect(ms).toBeLessThan(WITHIN_MS);
    if (how !== 'Temporal hangs') expect(exit).toBe('exit code 0');
    redis.thaw();
    temporal.thaw();
    if (how === 'Redis is dead') await redis.restart();
    await eventually(
      () => recorder.writes.filter(({ id }) => !tail().arrivals.has(id)).length,
      (left) => left === 0,
      30_000,
    );
    caller.close();
  });
});
