import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { fieldNames, fieldTexts } from '../../../stream/entry';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import { eventOf } from '../../support/redis/stream-load';
import { anId } from '../../support/scenario';

const url = inject('redisUrl');
const redis = sharedRedis();

const [EVENTS, EVERY, NODES] = [100_000, 20_000, 500];
/** Growth of the heap (bytes) per event that a leak would exceed: the smallest object that stays takes more. */
const GROWTH = 10;

/** `EVENTS` events, of many nodes in turn. */
const fill = async (stream: string): Promise<void> => {
  const names = fieldNames('Vendor.Hierarchy');
  for (let from = 0; from < EVENTS; from += 1_000)
    await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => {
        const [nodeId, number] = [anId((from + at) % NODES), Math.floor((from + at) / NODES)];
        const texts = fieldTexts(nodeId, eventOf(nodeId, number), eventSettings());
        return redis.xAdd(stream, '*', Object.fromEntries(names.map((name, n) => [name, texts[n] ?? ''])));
      }),
    );
};

/** The newest Node, as `.ci/run` has it; its own package names its program. */
const newestNode = (): string =>
  execFileSync('npx', ['--yes', '--package', `node-linux-${process.arch}@26.10.0`, '--', 'which', 'node'], {
    encoding: 'utf8',
  }).trim();

test.each<[name: string, node: () => string]>([
  ['this Node', () => process.execPath],
  ['the newest Node', newestNode],
])('the heap of a consumer is flat over 100,000 events on %s', { timeout: 600_000 }, async (_, node) => {
  const stream = `heap-${randomUUID()}`;
  await fill(stream);
  const args = ['--import', 'tsx', 'test/slow/stream/consumer-heap.ts', url, stream, String(EVERY), String(EVENTS)];
  const child = spawn(node(), args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
  await redis.del(stream);
  expect(child.exitCode).toBe(0);
  const looks = out
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [events: number, heap: number]);
  expect(looks.map(([events]) => events)).toEqual([20_000, 40_000, 60_000, 80_000, 100_000]);
  const [first, last] = [looks[1]!, looks.at(-1)!];
  console.log(`heap after ${looks.map(([events, heap]) => `${events}: ${(heap / 1e6).toFixed(1)} MB`).join(', ')}`);
  expect((last[1] - first[1]) / (last[0] - first[0])).toBeLessThan(GROWTH);
});
