import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderWith } from '../../support/run-program';

test('the command ends with one list, also of what only some commands need', { timeout: 30_000 }, () => {
  const env = { PATH: process.env['PATH'], POINT_ALARM_URL: 'x', REDIS_URL: 'x', TEMPORAL_TLS: 'x' };
  const args = ['--import', 'tsx', 'cli/main.ts', 'republish', '--all', '--journal', join(folderWith({}), 'journal')];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: projectRoot, env, encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr.split('\n').sort()).toEqual([
    '',
    '  - POINT_ALARM_URL must be an http or https URL without a user name or password',
    '  - REDIS_URL must be a Redis URL such as redis://127.0.0.1:6379',
    '  - TEMPORAL_TLS must be one of true, false, 1, 0',
    'The command cannot start:',
  ]);
});
