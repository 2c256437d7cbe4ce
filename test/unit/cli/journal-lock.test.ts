import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../../cli/long-work';
import { folderWith } from '../../support/run-program';

const busy = (file: string) =>
  new RegExp(`^${file} is in use by process ${process.pid}: wait for it, or name another`, 'u');

const open = (file: string, again = false) => openJournal('republish', file, again);

describe.each(['import', 'republish'] as const)('two processes that %s', (kind) => {
  const open = (file: string, again = false) => openJournal(kind, file, again);
  test('do not take one journal: the second is refused by name until the first ends', async () => {
    const file = join(folderWith({}), 'republish.journal');
    const first = await open(file);
    await expect(open(file)).rejects.toThrow(busy(file));
    await expect(open(file, true)).rejects.toThrow(busy(file));
    first.add({ node: 'a', key: 'a' });
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
    first.close();
    const second = await open(file);
    expect(second).toMatchObject({ id: first.id });
    second.close();
  });
});

describe('a journal', () => {
  test('is not held by a process that was killed', async () => {
    const file = join(folderWith({}), 'republish.journal');
    writeFileSync(`${file}.lock`, JSON.stringify([{ pid: 2 ** 22 + 1, born: '1' }]));
    (await open(file)).close();
  });

  test('without its first line is begun again by --again, and by nothing else', async () => {
    const folder = folderWith({ 'republish.journal': '{"node":"a","key":"a"}\n', other: 'node,outerHigh\n' });
    const file = join(folder, 'republish.journal');
    await expect(open(file)).rejects.toThrow('is not the journal of a republication');
    (await open(file, true)).close();
    await expect(open(join(folder, 'other'), true)).rejects.toThrow('is not the journal of a republication');
  });
});
