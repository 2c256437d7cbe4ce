import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../../dev/stack/project-root';
import { recordsOf } from '../../../support/run-node';
import { folderOfTest } from '../../../support/temporary-folder';

const run = promisify(execFile);

test('a version that cannot be read for want of file descriptors is read once there are some, and logged once meanwhile', async () => {
  const path = join(folderOfTest(), 'file');
  writeFileSync(path, 'first');
  const child = `exec '${process.execPath}' --import tsx '${join(__dirname, 'exhausted-child.ts')}' '${path}'`;
  const { stdout } = await run('sh', ['-c', `ulimit -n 200 && ${child}`], { cwd: projectRoot, timeout: 25_000 });
  expect(recordsOf(stdout).map(({ msg, reason }) => [msg, reason])).toEqual([
    ['no file descriptor is left', undefined],
    ['a new version is refused, the old one stays', 'cannot be read (EMFILE)'],
    ['a new version is in force', undefined],
    ['it has the other version', undefined],
  ]);
}, 30_000);
