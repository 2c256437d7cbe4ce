import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { checkHistory } from './check-history';
import type { Entry } from './history';
import { createCaller } from './load/call';
import { eventually, median, readiness } from './probe';
import { runScenario, settingOf, type Setting } from './scenario';
import { seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack();

/** How much longer than promised something may take on a machine that does other work as well. */
const SLACK_MS = 1_000;

/** All of stopping, on a machine that does other work as well. */
const WITHIN_MS = 11_000;

afterEach(async () => {
  const { temporal, redis, workers, apis } = stack();
  for (const part of [temporal, redis]) part.thaw();
  for (const part of [...workers, ...apis]) await part.startIfGone();
});

test('a workflow task that fails shows in a metric and in what /readyz tells, and the worker goes on', async () => {
  const caller = createCaller();
  const [worker, other] = stack().workers;
  await other.kill();
  const said = async (): Promise<readonly [number, number]> => {
    const { status, body } = await readiness(caller, worker.url);
    return [status, (JSON.parse(body) as { readonly failedWorkflowTasks: number }).failedWorkflowTasks];
  };
  expect(await said()).toEqual([200, 0]);
  const handle = await stack().client.workflow.start('nobodyKnowsThisType', {
    taskQueue: 'point-alarm',
    workflowId: `poison-${randomUUID()}`,
    args: [],
  });
  await eventually(said, ([status, failed]) => status === 200 && failed > 0, 15_000);
  const { body } = await caller.call(worker.url, { method: 'GET', path: '/metrics', headers: {} });
  expect(body).toMatch(/^temporal_workflow_task_execution_failed_total\{.*\} [1-9]/mu);
  await handle.terminate();
  caller.close();
});

/** Every process's readiness: status, and the dependencies that it lists. */
const readinessOfAll = ({ stack: of, caller }: Setting): Promise<ReadonlyArray<readonly [number, string]>> =>
  Promise.all(
    [...of.apis, ...of.workers].map(async ({ url }) => {
      const { status, body } = await readiness(caller, url);
      return [status, body] as const;
    }),
  );

const allAnswer =
  (status: number, part = '') =>
  (answers: Awaited<ReturnType<typeof readinessOfAll>>) =>
    answers.every(([answered, body]) => answered === status && body.includes(part));

/** Waits until each of `writes` has its events in the stream; the ms that it took. */
const allIn = (writes: Setting['recorder']['writes']): Promise<number> =>
  eventually(
    () => writes.filter(({ id }) => !tail().arrivals.has(id)).length,
    (left) => left === 0,
    30_000,
  );

/** The tries sent in a span of time, in ms of `performance`. */
const triesIn = ({ recorder }: Setting, from: number, to: number) =>
  recorder.tries.filter(({ at }) => at >= from && at < to).map(({ called }) => called);

describe('while Redis is unavailable', () => {
  test('writes go on at their normal speed, every process lists it, and events flow within 5 s of its return', async () => {
    let [normal, without, resumed, publishing] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
    const { verdict } = await runScenario(stack(), tail(), {
      name: 'Redis unavailable for 10 s',
      seed,
      fault: async (setting) => {
        const { recorder, stack: of } = setting;
        await sleep(4_000);
        const killedAt = performance.now();
        const before = triesIn(setting, killedAt - 4_000, killedAt);
        await of.redis.kill();
        await eventually(() => readinessOfAll(setting), allAnswer(503, 'Redis'), 2_000 + SLACK_MS);
        await sleep(9_000);
        const during = triesIn(setting, killedAt + 1_000, performance.now() - 2_000);
        expect(during.filter(({ status }) => status === 0 || status >= 500)).toEqual([]);
        without = median(during.map(({ ms }) => ms));
        await of.redis.restart();
        const backAt = performance.now();
        const waiting = recorder.writes.filter(({ answer, sentAt }) => answer === 'acknowledged' && sentAt > killedAt);
        expect(waiting.length).toBeGreaterThan(20);
        resumed = await eventually(
          () => waiting.some(({ id }) => tail().arrivals.has(id)),
          (flows) => flows,
          20_000,
        );
        publishing = await allIn(waiting);
        const flowsAt = performance.now();
        await sleep(4_000);
        // Before and after alike: what else the machine does meanwhile must not decide.
        normal = median([...before, ...triesIn(setting, flowsAt, performance.now())].map(({ ms }) => ms));
        return backAt;
      },
    });
    console.log(
      `median ms of a write: ${normal} with Redis, ${without} without; the first event ${resumed} ms after, all ${publishing}`,
    );
    expect(verdict.breaches).toEqual([]);
    expect(without).toBeLessThan(2 * normal + 50);
    expect(resumed).toBeLessThan(5_000);
  });

  test('one that came back empty gets what waits, and a consumer has everything in order', async () => {
    const setting = settingOf(stack(), tail(), { seed: seed + 3, nodes: 10 });
    const { recorder, requests, nodes } = setting;
    const ofOurs = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
      entries.filter((entry) => nodes.includes(String(entry['aggregateId'])));
    const allArrive = () => allIn(recorder.writes);
    const toEach = async (): Promise<void> => {
      for (const nodeId of nodes) await recorder.send(nodeId, requests.measurement(), { keyed: true });
    };
    await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, requests.threshold(), { keyed: true })));
    await toEach();
    await allArrive();
    await stack().redis.kill();
    await toEach();
    const files = join(stack().folder, 'redis');
    for (const name of readdirSync(files)) rmSync(join(files, name), { recursive: true });
    await stack().redis.restart();
    await toEach();
    await allArrive();
    expect(ofOurs(await tail().read()).length).toBeGreaterThanOrEqual(2 * nodes.length);
    const seen = withoutRepeats(ofOurs(tail().entries));
    expect(checkHistory({ writes: recorder.writes, entries: seen, finals: [] }).breaches).toEqual([]);
    setting.caller.close();
  });
});

test.each([
  ['Redis', 'redis'],
  ['Temporal', 'temporal'],
] as const)('%s that hangs counts as gone within 2 s, for every process', async (name, part) => {
  const setting = settingOf(stack(), tail(), { seed: seed + 2 });
  await eventually(() => readinessOfAll(setting), allAnswer(200), 10_000);
  stack()[part].freeze();
  try {
    const ms = await eventually(() => readinessOfAll(setting), allAnswer(503, name), 2_000 + SLACK_MS);
    console.log(`a hung ${name} is noticed after ${ms} ms`);
  } finally {
    stack()[part].thaw();
  }
  await eventually(() => readinessOfAll(setting), allAnswer(200), 10_000);
  setting.caller.close();
});

test('an API that gets SIGTERM ends in time though Temporal hangs with calls in flight, and a caller never finishes its request', async () => {
  const [api] = stack().apis;
  const setting = settingOf(stack(), tail(), { seed: seed + 11, nodes: 3, nextBase: () => api.url });
  const { recorder, requests, nodes, caller } = setting;
  const endless = request(`${api.url}/v1/alarm-status/${nodes[0] ?? ''}`, { method: 'PUT' });
  endless.on('error', () => undefined);
  endless.flushHeaders();
  stack().temporal.freeze();
  const writes = nodes.map((nodeId) => recorder.send(nodeId, requests.threshold(), { keyed: false }));
  await sleep(300);
  const { ms } = await api.terminate();
  expect(ms).toBeLessThan(WITHIN_MS);
  for (const { answer } of await Promise.all(writes)) expect(answer).not.toBe('acknowledged');
  endless.destroy();
  caller.close();
});

describe('a worker that gets SIGTERM', () =>
  test.each(['works', 'Redis hangs', 'Redis is dead', 'Temporal hangs'] as const)('ends in time: %s', async (how) => {
    const { workers, redis, temporal } = stack();
    const setting = settingOf(stack(), tail(), { seed: seed + 12, nodes: 20 });
    const { recorder, requests, nodes, caller } = setting;
    await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, requests.threshold(), { keyed: true })));
    if (how === 'Redis hangs') redis.freeze();
    if (how === 'Redis is dead') await redis.kill();
    await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, requests.measurement(), { keyed: true })));
    if (how === 'Temporal hangs') temporal.freeze();
    const { exit, ms } = await workers[0].terminate();
    console.log(`worker, ${how}: ${exit} after ${ms} ms`);
    expect(ms).toBeLessThan(WITHIN_MS);
    if (how !== 'Temporal hangs') expect(exit).toBe('exit code 0');
    redis.thaw();
    temporal.thaw();
    if (how === 'Redis is dead') await redis.restart();
    await allIn(recorder.writes);
    caller.close();
  }));

/** What a consumer makes of the stream that remembers each node's last id, as docs/events.md asks of him. */
const withoutRepeats = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const last = new Map<string, string>();
  return entries.filter((entry) => {
    const [nodeId, id] = [String(entry['aggregateId']), String(entry['sequenceId'])];
    if (id <= (last.get(nodeId) ?? '')) return false;
    last.set(nodeId, id);
    return true;
  });
};
