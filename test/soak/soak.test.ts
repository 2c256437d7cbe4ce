import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../dev/stack/project-root';
import type { Running } from '../../dev/stack/running';
import { eventually } from '../chaos/probe';
import { startStack, type Stack } from '../chaos/stack/stack';
import { followStream, type StreamTail } from '../chaos/stack/stream-tail';
import type { Call, Load } from '../overload/callers';
import type { Order } from '../overload/callers-process';
import { figuresOf } from '../overload/figures';
import { judge } from '../overload/judge';
import { curvesOf, sampleOf, tableOf, type Sample } from './samples';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const MINUTES = number('SOAK_MINUTES', 10);
const NODES = 300;
/** Half of what a machine of two cores serves with two APIs and two workers on it. */
const PER_SECOND = number('SOAK_PER_SECOND', 50);
const KILL_EVERY_MINUTES = Math.min(10, Math.max(2, Math.floor(MINUTES / 4)));
const SAMPLE_MS = 60_000;
/** Minutes between the rows of the table at the end. */
const CURVE_MINUTES = 5;
/** Calls that are in hand of a process as it is killed may get no answer. */
const LEAST_SERVED = 0.998;
/** How much more memory the processes that live throughout may have at the end than once they were warm. */
const FLAT = 1.15;

let stack: Stack;
let tail: StreamTail;
beforeAll(async () => {
  stack = await startStack({ env: { LOG_LEVEL: 'warn' } });
  tail = followStream(() => stack.redisSettings, stack.stream);
});
afterAll(async () => {
  await tail.close();
  await stack.stop();
});

const callers = fork(join(__dirname, '../overload/callers-process.ts'), {
  execArgv: ['--import', 'tsx'],
  serialization: 'advanced',
});
afterAll(() => callers.kill());

const ordered = async (order: Order): Promise<ReadonlyArray<Call>> => {
  callers.send(order);
  const [calls] = (await once(callers, 'message')) as [ReadonlyArray<Call>];
  return calls;
};

test(
  `under ${PER_SECOND} values a second, with a kill of a worker and of an API every ${KILL_EVERY_MINUTES} minutes, nothing is lost or doubled, and memory is flat`,
  async () => {
    const nodes = Array.from({ length: NODES }, () => crypto.randomUUID());
    const load: Load = {
      urls: stack.apis.map(({ url }) => url),
      tokens: { plant: await stack.signToken('plant'), line: await stack.signToken('line') },
      perSecond: PER_SECOND,
      seconds: MINUTES * 60,
      nodes,
      writes: 'measurement',
      returnsWithinMs: 60_000,
    };
    await ordered({ load: { ...load, perSecond: 0, seconds: Infinity, writes: 'threshold' }, callers: 8 });
    const began = performance.now();
    const minutes = (): number => (performance.now() - began) / 60_000;
    const loading = ordered({ load });
    const samples: Sample[] = [];
    const takeSamples = async (): Promise<void> => {
      while (minutes() < MINUTES) {
        samples.push(await sampleOf(stack, tail, minutes()));
        console.info(tableOf(samples.slice(-1)));
        await sleep(SAMPLE_MS);
      }
    };
    const kills: Array<{ readonly minute: number; readonly name: string }> = [];
    const hurt = async (running: Running): Promise<void> => {
      kills.push({ minute: minutes(), name: running.name });
      await running.kill();
      await sleep(2_000);
      await running.restart();
    };
    const killInTurn = async (): Promise<void> => {
      for (let next = KILL_EVERY_MINUTES; next < MINUTES - 1; next += KILL_EVERY_MINUTES) {
        await sleep((next - minutes()) * 60_000);
        await hurt(stack.workers[1]);
        await sleep(20_000);
        await hurt(stack.apis[1]);
      }
    };
    const [calls] = await Promise.all([loading, takeSamples(), killInTurn()]);
    const brokenNow = async () => judge(calls, tail.entries);
    await eventually(brokenNow, (found) => found.length === 0, 60_000).catch(() => undefined);
    const broken = await brokenNow();
    const figures = figuresOf('soak', calls, MINUTES * 60);
    mkdirSync(join(projectRoot, 'reports'), { recursive: true });
    const report = { minutes: MINUTES, perSecond: PER_SECOND, figures, kills, samples, broken: broken.length };
    writeFileSync(join(projectRoot, 'reports/soak.json'), JSON.stringify(report, undefined, 1));
    console.info(
      `${calls.length} writes, ${tail.entries.length} events, ${kills.length} kills\n${curvesOf(samples, CURVE_MINUTES)}`,
    );
    expect(broken).toEqual([]);
    expect(figures.servedShare).toBeGreaterThanOrEqual(LEAST_SERVED);
    const warm = samples.filter(({ minute }) => minute >= MINUTES * 0.2 && minute <= MINUTES * 0.4);
    const last = samples.filter(({ minute }) => minute >= MINUTES * 0.8);
    for (const name of ['api-1', 'worker-1'])
      for (const figure of ['residentMiB', 'heapMiB', 'descriptors'] as const) {
        const least = (of: ReadonlyArray<Sample>): number =>
          Math.min(...of.map((one) => one.processes[name]?.[figure] ?? NaN)); // none may be missing
        expect(least(last), `${figure} of ${name}`).toBeLessThanOrEqual(least(warm) * FLAT);
      }
  },
  (MINUTES + 10) * 60_000,
);
