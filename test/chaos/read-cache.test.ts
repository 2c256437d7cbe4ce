import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runScenario, type ScenarioPlan, type Setting } from './scenario';
import { seed } from './seed';
import type { Running } from '../../stack/running';
import { withStack } from './with-stack';

const { stack, tail } = withStack({ env: { READS: 'cache' } });

/** Reads of every node by both APIs, as long as `fault` takes, so that there is something to be cached. */
const readingMeanwhile =
  (fault: ScenarioPlan['fault']): ScenarioPlan['fault'] =>
  async (setting) => {
    let isOver = false;
    const readers = setting.stack.apis.map(async (api) => {
      while (!isOver) for (const nodeId of setting.nodes) await read(setting, api, nodeId, {});
    });
    const endedAt = await fault(setting);
    isOver = true;
    await Promise.all(readers);
    return endedAt;
  };

const read = async (
  { stack: of, caller }: Setting,
  api: Running,
  nodeId: string,
  headers: Readonly<Record<string, string>>,
) => {
  const Authorization = `Bearer ${await of.signToken('reader')}`;
  const get = (path: string) => caller.call(api.url, { method: 'GET', path, headers: { Authorization, ...headers } });
  const [status, threshold] = [
    await get(`/v1/alarm-status/${nodeId}`),
    await get(`/v1/point-alarm-threshold/${nodeId}`),
  ];
  return {
    isCached: status.headers['age'] !== undefined && threshold.headers['age'] !== undefined,
    shown: [status.status, status.body, threshold.status, threshold.body, threshold.headers['etag']],
  };
};

const faults: Readonly<Record<string, ScenarioPlan['fault']>> = {
  'reads from the cache, Redis dies': async ({ stack: { redis } }) => {
    await redis.kill();
    await sleep(2_000);
    await redis.restart();
    return performance.now();
  },
  'reads from the cache, an API and a worker die': async ({ stack: { apis, workers } }) => {
    await Promise.all([apis[0].kill(), workers[0].kill()]);
    await sleep(1_000);
    const endedAt = performance.now();
    await Promise.all([apis[0].start(), workers[0].start()]);
    return endedAt;
  },
  'reads from the cache, Redis hangs': async ({ stack: { redis } }) => {
    redis.freeze();
    await sleep(5_000);
    redis.thaw();
    return performance.now();
  },
};

test.each(Object.entries(faults).map(([name, fault], index) => ({ name, fault, seed: seed + index })))(
  '$name: after quiet, the cache is what the nodes answer (seed $seed)',
  async ({ fault, ...plan }) => {
    const { verdict, setting } = await runScenario(stack(), tail(), { ...plan, fault: readingMeanwhile(fault) });
    expect(verdict.breaches).toEqual([]);
    let cached = 0;
    for (const api of stack().apis)
      for (const nodeId of setting.nodes) {
        await read(setting, api, nodeId, {}); // asked at least once
        const { shown, isCached } = await read(setting, api, nodeId, {});
        expect(shown).toEqual((await read(setting, api, nodeId, { 'Cache-Control': 'no-cache' })).shown);
        if (isCached) cached += 1;
      }
    expect(cached).toBe(2 * setting.nodes.length);
  },
);
