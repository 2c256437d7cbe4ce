import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const start = (env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, ['--import', 'tsx', join(__dirname, 'starting-child.ts')], {
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
});
