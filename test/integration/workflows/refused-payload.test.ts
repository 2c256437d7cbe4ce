import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { applyCommandsUpdate } from '../../../workflows/messages';
import { createSandbox, updateOf } from '../../support/sandbox';
import { bundle } from './nodes';

const NODES = 20;
const TEXT = 1_000_000;

/** Bytes of the heap that are still in use. */
const heapInUse = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

test('a node keeps nothing of a group in which nothing was applied', async () => {
  const create = await createSandbox((await bundle()).code);
  const nodes = await Promise.all(Array.from({ length: NODES }, create));
  const before = heapInUse();
  for (const { activate } of nodes) {
    const refused = { name: 'setExternalAlarm', userId: 'tester', status: 9, text: 'x'.repeat(TEXT) };
    const { successful } = await activate([updateOf(applyCommandsUpdate.name, { commands: [refused] })]);
    expect(successful?.commands?.[0]?.updateResponse?.rejected).toBeTruthy();
  }
  expect(heapInUse() - before).toBeLessThan((NODES * TEXT) / 4);
});
