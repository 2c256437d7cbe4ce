import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

/** From Node 24 on Node's own storage hooks none either. */
const storageHooks = Number(process.versions.node.split('.')[0]) < 24;

test('calls of Temporal leave the promises of the process unhooked', async () => {
  const child = [
    '--import',
    'tsx',
    'test/integration/api/nodes/promises-child.ts',
    inject('temporalAddress'),
    randomUUID(),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, child);
  expect(JSON.parse(stdout)).toEqual({ answer: 'Right', before: false, after: false, withStorage: storageHooks });
});
