import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { pause } from '../../process/backoff';
import { WORKFLOW_TYPE, workflowIdOf } from '../../workflows/messages';
import { buildRelease } from '../chaos/upgrade/build-release';
import { exchange, type Call } from './callers';
import { isShort, settingOf } from './setting';

const setting = settingOf();
const HEALTHY = 250;
const MOST_STUCK = 50;
const SECONDS = isShort ? 8 : 25;
const PER_SECOND = 20;
const WITHIN_MS = 2_000;
/** In a short run the first second, in which the stuck nodes are found out, counts for more. */
const SHARE = isShort ? 0.95 : 0.99;
/** More than the deadline of a call. */
const ANSWERED_MS = 12_000;

const ids = (): ReadonlyArray<string> => Array.from({ length: MOST_STUCK }, () => randomUUID());

/** Their tasks fail: a build that is gone left histories that do not replay. */
const failing = ids();
/** Nobody takes their tasks: they were started on a queue that no worker polls. */
const untaken = ids();

beforeAll(async () => {
  const { client, folder, startWorker, workers } = setting.stack();
  await Promise.all(
    untaken.map((id) => client.workflow.start(WORKFLOW_TYPE, { workflowId: workflowIdOf(id), taskQueue: 'nobody' })),
  );
  await workers[0].kill();
  const entry = await buildRelease(
    join(folder, 'gone'),
    join(__dirname, '../integration/workflows/wedging.workflow.ts'),
  );
  const gone = await startWorker({ entry, env: {} });
  await gone.ready();
  await setting.madeOf(failing);
  await gone.kill();
  await workers[0].startIfGone();
  await setting.nodes(HEALTHY);
});

/** Calls the nodes again after each `Retry-After`, by two callers each, until it is stopped; it tells the longest wait (ms). */
const startCalling = (nodes: ReadonlyArray<string>, token: string): (() => Promise<ReadonlyArray<number>>) => {
  const { url } = setting.stack().apis[0];
  const waits: number[] = [];
  const over = new AbortController();
  const calling = async (method: string, path: string, body = ''): Promise<void> => {
    while (!over.signal.aborted) {
      const began = performance.now();
      const headers = { Authorization: `Bearer ${token}` };
      const { status, retryAfter = 1 } = await exchange(url, method, path, headers, body, ANSWERED_MS);
      waits.push(status >= 429 ? performance.now() - began : Infinity);
      await pause(retryAfter * 1_000, over.signal);
    }
  };
  const all = nodes.flatMap((id) => [
    calling('PUT', `/v1/alarm-status/${id}/status/external`, '{"status":3}'),
    calling('GET', `/v1/alarm-status/${id}`),
  ]);
  return async () => {
    over.abort();
    await Promise.all(all);
    return waits;
  };
};

/** Reads of the nodes by schedule, and how many of them came in time. */
const reads = async (nodes: ReadonlyArray<string>, token: string): Promise<number> => {
  const { url } = setting.stack().apis[0];
  const answers: Promise<boolean>[] = [];
  const began = performance.now();
  while (answers.length < PER_SECOND * SECONDS) {
    const path = `/v1/alarm-status/${nodes[answers.length % nodes.length]}`;
    const answer = exchange(url, 'GET', path, { Authorization: `Bearer ${token}` }, '', WITHIN_MS);
    answers.push(answer.then(({ status }) => status === 200));
    await sleep(began + (answers.length * 1_000) / PER_SECOND - performance.now());
  }
  return (await Promise.all(answers)).filter(Boolean).length / answers.length;
};

const isInTime = ({ fate, dueAt, knownAt }: Call): boolean => fate === 'served' && knownAt - dueAt <= WITHIN_MS;

test.each([
  [1, 'whose tasks fail', failing],
  [4, 'whose tasks fail', failing],
  [50, 'whose tasks fail', failing],
  [4, 'whose tasks nobody takes', untaken],
  [50, 'whose tasks nobody takes', untaken],
])('%i stuck nodes, %s, called all the time, take nothing from the others', async (count, kind, stuck) => {
  const healthy = await setting.nodes(HEALTHY);
  const token = await setting.stack().signToken('plant');
  await setting.load({ perSecond: PER_SECOND, nodes: healthy, seconds: HEALTHY / PER_SECOND }); // they move to the worker
  const stop = startCalling(stuck.slice(0, count), token);
  const [calls, readShare] = await Promise.all([
    setting.load({ perSecond: PER_SECOND, nodes: healthy, seconds: SECONDS }),
    reads(healthy, token),
  ]);
  const waits = await stop();
  const share = calls.filter(isInTime).length / calls.length;
  const longest = Math.max(...waits);
  setting.say(
    `beside ${count} stuck nodes ${kind}: ${(100 * share).toFixed(1)} % of writes, ${(100 * readShare).toFixed(1)} % of reads within ${WITHIN_MS / 1_000} s; ${waits.length} calls of theirs, the longest ${(longest / 1_000).toFixed(1)} s`,
  );
  expect.soft(share, 'writes in time').toBeGreaterThanOrEqual(SHARE);
  expect.soft(readShare, 'reads in time').toBeGreaterThanOrEqual(SHARE);
  expect.soft(longest, 'the stuck know').toBeLessThan(ANSWERED_MS);
});
