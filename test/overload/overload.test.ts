import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startAttack } from '../support/attacks/running-attack';
import type { Figures } from './figures';
import type { Probed } from './probes';
import { figuresOf, lineOf } from './figures';
import { isShort, memoryOf, SECONDS, settingOf } from './setting';

const setting = settingOf();
const TWENTY = Array.from({ length: 20 }, (_, number) => `caller ${number}`);
const MANY = isShort ? 400 : 1_500;
const FEW = isShort ? 100 : 300;
const OUTAGE_S = isShort ? 6 : 30;

/** What holds whatever the load and the machine. */
const expectLaws = ({ name, gaveUp, retryAfterShare }: Figures): void => {
  expect.soft(gaveUp, `${name}: gave up`).toBe(0);
  expect.soft(retryAfterShare, `${name}: with Retry-After`).toBeGreaterThanOrEqual(0.99);
};
/** What a quiet machine of two cores must give besides; `share` of the peak. */
const expectSpeed = (figures: Figures & Probed, peak: number, share: number): void => {
  if (isShort) return;
  expect.soft(figures.perSecond / peak, `${figures.name}: goodput`).toBeGreaterThanOrEqual(share);
  expect.soft(figures.p99, `${figures.name}: p99`).toBeLessThanOrEqual(5);
  expect.soft(figures.refusedP99, `${figures.name}: refused`).toBeLessThanOrEqual(2);
  expect.soft(figures.readyShare, `${figures.name}: /readyz`).toBeGreaterThanOrEqual(0.99);
  expect.soft(figures.readShare, `${figures.name}: GET`).toBeGreaterThanOrEqual(0.95);
};

let known = 0;
/** The peak rate of many nodes, measured once. */
const peakOfMany = async (): Promise<number> => (known ||= await setting.peakOf(await setting.nodes(MANY)));

test('many nodes, up to eight times the peak', async () => {
  const nodes = await setting.nodes(MANY);
  const peak = await peakOfMany();
  for (const [times, share] of [
    [1, 0.9],
    [2, 0.9],
    [4, 0.9],
    [8, 0.75],
  ] as const) {
    if (isShort && (times === 1 || times === 4)) continue;
    const figures = await setting.measured(`${MANY} nodes, ${times} P`, { perSecond: times * peak, nodes }, peak);
    expectLaws(figures);
    expectSpeed(figures, peak, share);
    expect.soft(await setting.calmAfter(0.3 * peak, nodes), 'calm after').toBeLessThanOrEqual(10);
  }
});

test('few nodes, whose calls meet in groups', async () => {
  const nodes = await setting.nodes(FEW);
  const own = await setting.peakOf(nodes);
  const figures = await setting.measured(`${FEW} nodes, 8 P`, { perSecond: 8 * own, nodes }, own);
  expectLaws(figures);
  expectSpeed(figures, own, 2);
  expect.soft(await setting.calmAfter(0.3 * own, nodes), 'calm after').toBeLessThanOrEqual(10);
});

test('twenty users, who send twice the peak together', async () => {
  const nodes = await setting.nodes(MANY);
  const peak = await peakOfMany();
  const figures = await setting.measured(
    `${MANY} nodes, 2 P of twenty users`,
    { perSecond: 2 * peak, nodes, users: TWENTY },
    peak,
  );
  expectLaws(figures);
  expectSpeed(figures, peak, 0.9);
  expect.soft(await setting.calmAfter(0.3 * peak, nodes), 'calm after').toBeLessThanOrEqual(10);
});

// Before a worker is killed: the next one replays the history of each node when it is called again.
test('two API processes', async () => {
  const { apis } = setting.stack();
  await apis[1].startIfGone();
  const nodes = await setting.nodes(MANY);
  const urls = apis.map(({ url }) => url);
  const peak = await peakOfMany();
  await setting.peakOf(nodes, { urls }); // warms the code of the second one, as that of the first
  const figures = await setting.measured('two API processes, 2 P', { perSecond: 2 * peak, nodes, urls }, peak);
  expectLaws(figures);
  expectSpeed(figures, peak, 0.9);
  expect.soft(await setting.calmAfter(0.3 * peak, nodes), 'calm after').toBeLessThanOrEqual(10);
  await apis[1].kill();
});

test('twenty callers beside one who sends ten times the peak', async () => {
  const peak = await peakOfMany();
  const nodes = await setting.nodes(FEW);
  const twenty = { perSecond: 0.3 * peak, nodes, users: TWENTY };
  const alone = await setting.measured('twenty callers alone', twenty, peak);
  const abuse = setting.load({ perSecond: 10 * peak, nodes: await setting.nodes(MANY), users: ['abuser'] });
  const beside = await setting.measured('twenty callers beside one with 10 P', twenty, peak);
  const abused = figuresOf('the one', await abuse, SECONDS);
  setting.say(lineOf(abused, peak));
  expectLaws(beside);
  expectLaws(abused);
  if (!isShort) expect.soft(abused.refusedP99, 'the one: refused').toBeLessThanOrEqual(2);
  if (!isShort) expect.soft(beside.readyShare, 'beside the one: /readyz').toBeGreaterThanOrEqual(0.99);
  if (!isShort) expect.soft(beside.readShare, 'beside the one: GET').toBeGreaterThanOrEqual(0.95);
  expect.soft(beside.servedShare, 'beside the one: served').toBeGreaterThanOrEqual(isShort ? 0.9 : 0.995);
  if (!isShort) expect.soft(beside.p99, 'beside the one: p99').toBeLessThanOrEqual(4 * alone.p99);
  expect.soft(await setting.calmAfter(0.3 * peak, nodes), 'calm after').toBeLessThanOrEqual(10);
});

test.each([
  ['forged tokens', '401'],
  ['bodies of huge numbers', '400'],
])('others beside a flood of %s, all answered %s', async (name, status) => {
  await peakOfMany();
  const nodes = await setting.nodes(FEW);
  const before = await setting.peakOf(nodes);
  const flood = startAttack(name, await setting.target(nodes), 0);
  const beside = await setting.peakOf(nodes);
  const { statuses } = await flood.seen();
  await flood.stop();
  const own = (before + (await setting.peakOf(nodes))) / 2;
  setting.say(
    `beside a flood of ${name}: ${(beside / own).toFixed(2)} of the rate before and after, ${JSON.stringify(statuses)}`,
  );
  expect(Object.keys(statuses)).toEqual([status]);
  if (!isShort) expect.soft(beside / own, `beside ${name}: rate`).toBeGreaterThanOrEqual(0.9);
});

test('no worker for a while: callers come back under their keys, and all are served in the end', async () => {
  const peak = await peakOfMany();
  const nodes = await setting.nodes(FEW);
  const [worker] = setting.stack().workers;
  const plan = { perSecond: 0.3 * peak, nodes, seconds: OUTAGE_S + 4, returnsWithinMs: 120_000 };
  const load = setting.load(plan);
  await sleep(2_000);
  await worker.kill();
  await sleep(1_000 * OUTAGE_S);
  await worker.startIfGone();
  const figures = figuresOf(`no worker for ${OUTAGE_S} s, callers come back`, await load, plan.seconds);
  setting.say(lineOf(figures, peak));
  expect.soft(figures.servedShare, 'served in the end').toBe(1);
  expect.soft(await setting.calmAfter(0.3 * peak, nodes), 'calm after').toBeLessThanOrEqual(10);
});

test('Temporal at a third of its speed', async () => {
  const peak = await peakOfMany();
  const nodes = await setting.nodes(FEW);
  const { temporal } = setting.stack();
  const over = new AbortController();
  const slowness = (async () => {
    while (!over.signal.aborted) {
      temporal.freeze();
      await sleep(40);
      temporal.thaw();
      await sleep(20);
    }
  })();
  const plan = { perSecond: peak, nodes, seconds: OUTAGE_S };
  const figures = await setting.measured('Temporal at a third of its speed, 1 P', plan, peak);
  over.abort();
  await slowness;
  expectLaws(figures);
  expect(figures.perSecond).toBeGreaterThan(0);
  expect.soft(await setting.calmAfter(0.3 * peak, nodes), 'calm after').toBeLessThanOrEqual(10);
});

// Temporal works off thousands of new nodes for a minute after they were begun.
test('first thresholds of new nodes, three times their peak', async () => {
  const peak = await peakOfMany();
  const fresh = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => randomUUID());
  const own = await setting.peakOf(fresh(10_000), { writes: 'threshold' });
  const nodes = fresh(Math.ceil(3 * own * SECONDS));
  const figures = await setting.measured('new nodes, 3 P', { perSecond: 3 * own, nodes, writes: 'threshold' }, own);
  expectLaws(figures);
  expectSpeed(figures, own, 0.75);
  expect.soft(await setting.calmAfter(0.3 * peak, await setting.nodes(FEW)), 'calm after').toBeLessThanOrEqual(10);
});

test('nothing was lost, doubled, or done after it was refused, and memory stayed bounded', async () => {
  const { apis, workers } = setting.stack();
  const [api, worker] = [await memoryOf(apis[0].url), await memoryOf(workers[0].url)];
  setting.say(`memory: API ${api.toFixed(0)} MiB, worker ${worker.toFixed(0)} MiB`);
  expect(
    (await setting.broken()).map(({ promise, call }) => `${promise}: ${call.writes} ${call.id} ${call.status}`),
  ).toEqual([]);
  expect(Math.max(api, worker)).toBeLessThan(1_536);
});
