import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { runNode } from '../../support/run-node';

/** Runs the child, sends it `signals` once it is ready, and gives what it logged and its exit code. */
const run = async (fault: string, signals: ReadonlyArray<NodeJS.Signals>) => {
  const child = runNode(childWith(fault), process.env);
  const limit = setTimeout(() => void child.stop(), 20_000);
  await vi.waitUntil(() => child.out().includes('"ready"'), { timeout: 20_000, interval: 5 });
  signals.forEach(child.signal);
  const code = await child.exited;
  clearTimeout(limit);
  const records = child.logged();
  return {
    code,
    said: records.map(({ msg, step }) => (step === undefined ? msg : `${msg}: ${step as string}`)),
    records,
  };
};

const childWith = (fault: string): ReadonlyArray<string> => [
  ...['--import', 'tsx', join(__dirname, 'stopping-child.ts')],
  fault,
];

/** Runs it with a standard output that takes nothing, and gives its exit code and whether it took its last step. */
const runUnheard = async (output: 'full' | 'closed', fault: string) => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, childWith(fault), {
    cwd: projectRoot,
    stdio: ['ignore', output === 'full' ? full : 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  closeSync(full);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  return { code: child.exitCode, isStopped: said === 'third\n' };
};

describe('a process', { concurrent: true, timeout: 30_000 }, () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('takes its steps in order on %s and ends with 0', async (signal) => {
    const { code, said } = await run('', [signal]);
    expect(said).toEqual(['ready', 'stopping', 'first begins', 'first ends', 'second', 'third', 'stopped']);
    expect(code).toBe(0);
  });

  test('stops once, however often it is asked to', async () => {
    const { code, said } = await run('', ['SIGINT', 'SIGTERM', 'SIGINT', 'SIGTERM']);
    expect(said).toEqual(['ready', 'stopping', 'first begins', 'first ends', 'second', 'third', 'stopped']);
    expect(code).toBe(0);
  });

  test('takes the other steps when one fails, and ends with 1', async () => {
    const { code, said } = await run('step fails', ['SIGTERM']);
    expect(said).toEqual(['ready', 'stopping', 'first begins', 'could not stop in order: first', 'second', 'third']);
    expect(code).toBe(1);
  });

  test('ends with 1 when a step throws at once', async () => {
    const { code, said } = await run('step throws', ['SIGTERM']);
    expect(said.at(-1)).toBe('could not stop in order: third');
    expect(code).toBe(1);
  });

  test('ends with 1 at its deadline when a step hangs', async () => {
    const { code, said } = await run('step hangs', ['SIGTERM']);
    expect(said).toContain('could not stop in order: second');
    expect(code).toBe(1);
  });

  test.each([
    ['an exception was not caught', 'exception'],
    ['a rejection was not handled', 'rejection'],
  ])('logs that %s, stops in order and ends with 1', async (message, fault) => {
    const { code, said, records } = await run(fault, []);
    expect(said).toEqual(['ready', message, 'first begins', 'first ends', 'second', 'third', 'stopped']);
    expect(records[1]).toMatchObject({ level: 'fatal', err: { stack: expect.any(String) } });
    expect(code).toBe(1);
  });

  test.each(['full', 'closed'] as const)('takes its steps also where standard output is %s', async (output) => {
    expect(await runUnheard(output, 'exception')).toEqual({ code: 1, isStopped: true });
  });

  test('takes them where an error cannot be shown', async () => {
    const { code, said } = await run('odd exception', []);
    expect(said).toEqual([
      'ready',
      'an exception was not caught',
      'first begins',
      'first ends',
      'second',
      'third',
      'stopped',
    ]);
    expect(code).toBe(1);
  });
});
