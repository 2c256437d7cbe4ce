import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../support/run-program';

const child = join(__dirname, 'starting-child.ts');

const start = (env: NodeJS.ProcessEnv, entry = child, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ['--import', 'tsx', entry, ...args], {
    cwd: join(__dirname, '../../..'),
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    timeout: 20_000,
  });

describe('a process', { timeout: 30_000 }, () => {
  test('starts with right settings', () => {
    const { status, stdout } = start({ PORT: '4000', AUTH_JWKS_FILE: 'a', GRANTS_FILE: 'b' });
    expect([status, stdout]).toEqual([0, 'starts on 4000\n']);
  });

  test('ends with code 2 and one list of all faults, without a stack, with wrong ones', () => {
    const { status, stdout, stderr } = start({ PORT: 'x', GRANTS_FILE: 'b' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      [
        'The API cannot start:',
        '  - PORT must be an integer from 0 to 65535',
        '  - AUTH_JWKS_URL or AUTH_JWKS_FILE is required: the keys that sign the tokens',
        '',
      ].join('\n'),
    );
  });

  test('of the command ends with one list, also of what only some commands need', () => {
    const env = { POINT_ALARM_URL: 'x', REDIS_URL: 'x', TEMPORAL_TLS: 'x' };
    const { status, stderr } = start(
      env,
      'cli/main.ts',
      'republish',
      '--all',
      '--journal',
      join(folderWith({}), 'journal'),
    );
    expect(status).toBe(2);
    expect(stderr.split('\n').sort()).toEqual([
      '',
      '  - POINT_ALARM_URL must be an http or https URL without a user name or password',
      '  - REDIS_URL must be a Redis URL such as redis://127.0.0.1:6379',
      '  - TEMPORAL_TLS must be one of true, false, 1, 0',
      'The command cannot start:',
    ]);
  });
});
