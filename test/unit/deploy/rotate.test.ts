import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

vi.setConfig({ testTimeout: 60_000 }); // of many processes

const SERVERS = ['10.0.0.6-6379', '10.0.0.7-6379', '10.0.0.3-26379', '10.0.0.6-26379', '10.0.0.7-26379'];
const OPENSSL = spawnSync('sh', ['-c', 'command -v openssl'], { encoding: 'utf8' }).stdout.trim();
const SERVICES = ['10.0.0.6', '10.0.0.7'];

/** An ssh to hosts whose servers take the passwords in a file of theirs, and whose settings lie in another one. */
const SSH = `#!/bin/sh
[ "$1" != -o ] || shift 2
host=\${1#root@}
shift
command=$*
[ "$host \${FAILS:-}" != '10.0.0.5 dead' ] || exit 255
case $command in
*redis-cli*)
  server=passwords/$host-\${command##* } password=\${command#*AUTH=}
  grep -qx "\${password%% *}" "$server" || { echo 'NOAUTH Authentication required.'; exit; }
  read -r line
  [ -z "\${FAILS:-}" ] || case "$host $line" in $FAILS) echo 'ERR it broke'; exit ;; esac
  case $line in
  *' resetpass >'*) echo "\${line##*>}" >"$server" ;;
  *' requirepass '*) echo "\${line##* }" >"$server" ;;
  *' >'*) echo "\${line##*>}" >>"$server" ;;
  *' <'*) sed -i "/^\${line##*<}$/d" "$server" ;;
  esac
  echo OK
  ;;
*service.env*) sh -c "$(printf '%s' "$command" | sed "s|/etc/point-alarm|etc/$host|")" ;;
*restart*) [ "$host:\${FAILS:-}" != 10.0.0.7:restart ] ;;
esac
`;

const hosts = () => {
  const folder = folderOfTest();
  const at = (...names: ReadonlyArray<string>): string => join(folder, ...names);
  const textIn = (...names: ReadonlyArray<string>): string => readFileSync(at(...names), 'utf8');
  for (const name of ['bin', 'secrets', 'passwords', ...SERVICES.map((host) => `etc/${host}`)])
    mkdirSync(at(name), { recursive: true });
  cpSync(join(projectRoot, 'deploy/hosts'), at('deploy'), { recursive: true });
  for (const [name, text] of [
    ['ssh', SSH],
    ['scp', '#!/bin/sh\n'],
    ['openssl', `#!/bin/sh\n[ "$FAILS" != openssl ] || { echo 'no entropy' >&2; exit 1; }\nexec ${OPENSSL} "$@"\n`],
    ['sleep', '#!/bin/sh\n'],
  ] as const) {
    writeFileSync(at('bin', name), text);
    chmodSync(at('bin', name), 0o755);
  }
  writeFileSync(at('secrets', 'redis.env'), 'REDIS_PASSWORD=first\n');
  for (const server of SERVERS) writeFileSync(at('passwords', server), 'first\n');
  const settings = textIn('deploy', 'service.env').replaceAll('REDIS_PASSWORD', 'first');
  for (const host of SERVICES)
    writeFileSync(at('etc', host, 'service.env'), settings.replaceAll('SENTINEL_first', 'SENTINEL_PASSWORD'));
  return {
    /** Changes the password of Redis, where what matches `fails` breaks. */
    rotate: (fails = '', what = 'redis') => {
      const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`, FAILS: fails };
      return spawnSync('sh', ['deploy/rotate.sh', what], { cwd: folder, env, encoding: 'utf8' });
    },
    run: (command: string) => spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }),
    password: () => textIn('secrets', 'redis.env').trim().replace('REDIS_PASSWORD=', ''),
    passwords: () => SERVERS.map((server) => textIn('passwords', server).trim()),
    settings: () => SERVICES.map((host) => textIn('etc', host, 'service.env')),
  };
};

const expectRotated = ({ password, passwords, settings }: ReturnType<typeof hosts>): void => {
  expect(password()).not.toBe('first');
  expect(passwords()).toEqual(SERVERS.map(() => password()));
  for (const text of settings()) {
    expect(text).toContain(`REDIS_URL=rediss://:${password()}@by-sentinel\n`);
    expect(text).toContain(`REDIS_SENTINEL_PASSWORD=${password()}\n`);
  }
};

test('the password of Redis is changed everywhere, and the old one holds nowhere', () => {
  const changed = hosts();
  expect(changed.rotate()).toMatchObject({ status: 0, stderr: '' });
  expectRotated(changed);
});

test('nothing is changed while a host is dead', () => {
  const unchanged = hosts();
  const { status, stderr } = unchanged.rotate('dead');
  expect([status, stderr]).toEqual([1, '10.0.0.5 does not answer; nothing was changed\n']);
  expect(unchanged.password()).toBe('first');
});

test('one rotation waits for no other: it is refused', () => {
  const { run, rotate } = hosts();
  run('flock secrets/.lock sleep 5 > /dev/null 2>&1 &');
  expect(run('until ! flock -n secrets/.lock true; do sleep 0.05; done').status).toBe(0);
  expect(rotate()).toMatchObject({ status: 1, stderr: 'another rotate.sh is at work\n' });
});

test('an authority that was not made leaves the present one, and a repeat keeps all certificates valid', () => {
  const { run, rotate } = hosts();
  expect(run('sh deploy/secrets.sh 10.0.0.6').status).toBe(0);
  expect(rotate('openssl', 'authority')).toMatchObject({ status: 1, stderr: 'no entropy\n' });
  const verify = (): string => run(`${OPENSSL} verify -CAfile secrets/ca.pem secrets/10.0.0.6.pem`).stdout;
  expect(verify()).toContain('OK');
  expect(rotate('restart', 'authority').status).not.toBe(0);
  expect(rotate('', 'authority')).toMatchObject({ status: 0 });
  expect(verify()).toContain('OK');
  expect(run('rm secrets/10.0.0.6.pem && sh deploy/secrets.sh 10.0.0.6').status).toBe(0);
  expect(verify()).toContain('OK');
});

test.each([
  ['while both are given', '10.0.0.3*SETUSER*'],
  ['while services restart', 'restart'],
  ['while the old one is withdrawn', '10.0.0.7*default?[r<]*'],
  ['at the end', '10.0.0.7*FLUSHCONFIG*'],
])('a change that broke %s says so, and a repeat leaves no older password valid', (_, fails) => {
  const changed = hosts();
  const broken = changed.rotate(fails);
  expect(broken.status).not.toBe(0);
  if (fails !== 'restart') expect(broken.stderr).toContain('ERR it broke');
  expect(changed.rotate()).toMatchObject({ status: 0 });
  expectRotated(changed);
});
