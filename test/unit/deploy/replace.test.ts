import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

vi.setConfig({ testTimeout: 60_000 }); // of many processes

/** Runs deploy/hosts/replace.sh where `ssh` does what `body` says; what the balancer was told, and how it ended. */
const replaced = (body: string, ...args: ReadonlyArray<string>) => {
  const folder = folderOfTest();
  const log = join(folder, 'log');
  for (const [name, script] of [
    ['ssh', `echo "$*" >> ${log}\n${body}`],
    ['sleep', ':'],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const { status, stderr } = spawnSync('sh', [join(projectRoot, 'deploy/hosts/replace.sh'), ...args], {
    env,
    encoding: 'utf8',
  });
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  const states = lines.flatMap((line) => /set server (\S+ state \S+?)'? \|/u.exec(line)?.[1] ?? []);
  return { status, stderr, states };
};

test('each process leaves the balancer before it restarts, and comes back', () => {
  const { status, states } = replaced('', 'api');
  expect(status).toBe(0);
  expect(states).toEqual([1, 2].flatMap((at) => [`api/api-${at} state drain`, `api/api-${at} state ready`]));
});

test.each([
  ['is not restarted', 'case "$*" in *restart*) exit 1 ;; esac', 1],
  ['is never ready', 'case "$*" in *curl*) exit 22 ;; esac', 1],
  ['is given up by Ctrl-C', 'case "$*" in *restart*) kill -INT $PPID ;; esac', 130],
])('one that %s comes back to the balancer all the same', (_, body, code) => {
  const { status, states } = replaced(body, 'api');
  expect(status).toBe(code);
  expect(states).toEqual(['api/api-1 state drain', 'api/api-1 state ready']);
});

test('a release that is not there is named, before anything leaves the balancer', () => {
  const { status, stderr, states } = replaced('case "$*" in */opt/*) sh -c "$2" ;; esac', 'api', 'point-alarm-none');
  expect(status).not.toBe(0);
  expect(stderr).toContain('/opt/point-alarm-none');
  expect(states).toEqual([]);
});
