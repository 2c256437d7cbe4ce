import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCaller, type Call, type CallResult } from '../chaos/load/call';
import { startStack, type Stack } from '../chaos/stack/stack';
import { folderOfFile } from '../support/temporary-folder';
import { startBystander } from './bystander';
import { budget } from '../cost/budget';
import { commandSeeds, commandSubject } from '../cost/commands';
import { textOf } from '../cost/json-text';
import { drawsOf } from '../cost/mutate';
import { createDomainSandbox } from '../cost/sandbox';
import { search } from '../cost/search';
import { callsOf, dearCalls, type Attacker, type DearCall } from './dear-calls';
import { memoryOf } from './setting';

/** Memory (MiB) that an API may have, whatever is sent. */
const MOST_MIB = 512;
/** Time (ms) in which every sender has an answer. */
const ANSWERED_MS = 5_000;
const BEFORE_MS = 500;
const AFTER_MS = 4_000;

const [bystander, attacker, nobody] = [randomUUID(), randomUUID(), randomUUID()];
const folder = folderOfFile();
const caller = createCaller();
const senders: Array<typeof caller> = [];
let stack: Stack;
beforeAll(async () => {
  const grantsFile = join(folder, 'grants.json');
  const grants = [bystander, attacker].map((user) => ({ user, actions: ['*'], node: '*' }));
  await writeFile(grantsFile, JSON.stringify({ grants }));
  stack = await startStack({ env: { LOG_LEVEL: 'warn', GRANTS_FILE: grantsFile } });
  await Promise.all([stack.workers[1].kill(), stack.apis[1].kill()]);
});
afterAll(async () => {
  console.info(lines.join('\n'));
  for (const one of [caller, ...senders]) one.close(); // an API is watched for connections that stay
  await stack.stop();
});
beforeEach(() => Promise.all([stack.apis[0].startIfGone(), stack.workers[0].startIfGone()]));
const lines: string[] = [];

const attackerOf = async (): Promise<Attacker> => {
  const { url } = stack.apis[0];
  const other = createCaller();
  senders.push(other);
  const sendAs =
    (token: string) =>
    ({
      method,
      path,
      content,
      body = JSON.stringify(content),
    }: Parameters<Attacker['send']>[0]): Promise<CallResult> => {
      const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
      const call: Call = { method, path, headers: { Authorization: `Bearer ${token}`, 'Content-Type': type }, body };
      return other.call(url, call);
    };
  return {
    port: Number(new URL(url).port),
    send: sendAs(await stack.signToken(attacker)),
    sendWithoutGrant: sendAs(await stack.signToken(nobody)),
    sendWithoutToken: (path) => other.call(url, { method: 'GET', path, headers: {} }),
  };
};

const countsOf = (calls: ReadonlyArray<CallResult>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { status, fault } of calls) counts[fault ?? status] = (counts[fault ?? status] ?? 0) + 1;
  return counts;
};

/** Sends what is dear beside a bystander, and expects that everybody is served, whoever sent it. */
const holdsBeside = async (name: string, { prepare, attack }: DearCall): Promise<void> => {
  const sender = await attackerOf();
  await prepare?.(sender);
  const fared = await startBystander(caller, stack.apis[0].url, await stack.signToken(bystander));
  await sleep(BEFORE_MS);
  const began = performance.now();
  const calls = await attack(sender);
  await sleep(Math.max(0, AFTER_MS - (performance.now() - began)));
  const { writes, servedShare, p98, healthMs, refused } = await fared();
  const slowest = Math.max(0, ...calls.map(({ ms }) => ms));
  const memory = await memoryOf(stack.apis[0].url);
  const fates = JSON.stringify(countsOf(calls));
  lines.push(
    `${name}: ${fates}, slowest ${slowest.toFixed(0)} ms; beside it ${writes} writes, ${(100 * servedShare).toFixed(1)} % within 1.5 s, ` +
      `p98 ${p98.toFixed(0)} ms, /healthz at most ${healthMs.toFixed(0)} ms; ${memory.toFixed(0)} MiB`,
  );
  expect(refused).toEqual([]);
  expect(servedShare).toBeGreaterThanOrEqual(0.98);
  expect(healthMs).toBeLessThan(1_000);
  expect(slowest).toBeLessThan(ANSWERED_MS);
  expect(calls.filter(({ status }) => status === 0 || status === 500 || status === 504)).toEqual([]);
  expect(memory).toBeLessThan(MOST_MIB);
};

describe('whatever is sent within the limits, others are served', () => {
  test.each(Object.entries(dearCalls))('%s', holdsBeside);
});

describe('so they are beside the dearest that a search finds', () => {
  test.each(Object.entries(commandSeeds))(
    '%s',
    async (name, seeds) => {
      const subject = commandSubject(await createDomainSandbox(), seeds, 1);
      const { dearest } = await search(subject, drawsOf(budget.seed), budget.searchMs);
      expect(dearest.size).toBeGreaterThan(0);
      for (const [figure, { json }] of dearest)
        await holdsBeside(
          `${name}, by ${figure}`,
          callsOf(JSON.parse(textOf(json) ?? '[]') as Parameters<typeof callsOf>[0]),
        );
    },
    budget.searchMs + 120_000,
  );
});
