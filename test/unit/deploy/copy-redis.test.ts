import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

vi.setConfig({ testTimeout: 60_000 }); // of many processes

test.each(['copies', 'my copies'])('copies in a folder named %s are kept by age', (name) => {
  const folder = folderOfTest();
  for (const one of [name, 'bin']) mkdirSync(join(folder, one));
  for (const [command, body] of [
    ['redis-cli', '[ "$1" = --rdb ] && touch "$2" || echo 10'],
    ['redis-check-rdb', 'echo "[info] 5 keys read"'],
  ] as const) {
    writeFileSync(join(folder, 'bin', command), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, 'bin', command), 0o755);
  }
  const copied = (at: number) => {
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, NOW: String(at) };
    const args = [join(projectRoot, 'deploy/redis/copy-redis.sh'), name, 'redis-cli'];
    return spawnSync('sh', args, { cwd: folder, env, encoding: 'utf8' });
  };
  const began = Date.UTC(2026, 0, 31) / 1_000;
  for (const at of [began, began + 900, began + 86_000]) expect(copied(at)).toMatchObject({ status: 0, stderr: '' });
  const kept = ['redis-2026-01-31T001500', 'redis-2026-01-31T235320'];
  expect(readdirSync(join(folder, name)).sort()).toEqual(kept.flatMap((one) => [`${one}.count`, `${one}.rdb`]));
});
