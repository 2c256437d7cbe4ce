import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { findTemporal, cachedCommandPath } from '../../../dev/stack/temporal-command';
import { emptyMachine, quietGround, sayingVersion, type Machine } from './machine';

const RELEASE = '1.8.2 (Server 1.31.2, UI 2.50.1)';
const OLD = '1.7.0 (Server 1.30.0, UI 2.45.0)';
const kept = (machine: Machine): string => cachedCommandPath(machine.env).slice(machine.folder.length + 1);

/** A go of this version, which builds a command by writing it, slowly. */
const go = (version: string): string => `
if [ "$1" = env ]; then echo ${version}; exit; fi
sleep 0.3
while [ "$1" != -o ]; do shift; done
cat > "$2" <<'END'
#!/bin/sh
${sayingVersion(RELEASE)}
END
`;

test('a TEMPORAL_CLI that does not serve ends the search, since the user chose it', async () => {
  const machine = emptyMachine();
  const old = machine.script('mine/temporal', sayingVersion(OLD));
  machine.script('bin/temporal', sayingVersion(RELEASE));
  await expect(findTemporal({ ...machine.env, TEMPORAL_CLI: old }, quietGround())).rejects.toThrow(
    `TEMPORAL_CLI does not serve: ${old} is ${OLD}, 1.8 or newer is needed`,
  );
  await expect(findTemporal({ ...machine.env, TEMPORAL_CLI: '/none' }, quietGround())).rejects.toThrow(
    'TEMPORAL_CLI does not serve: /none is not an executable file',
  );
});

test('paths that begin here are whole: the server runs in a folder of its own', async () => {
  const machine = emptyMachine();
  const own = machine.script('mine/temporal', sayingVersion(RELEASE));
  const TEMPORAL_CLI = relative(process.cwd(), own);
  expect((await findTemporal({ ...machine.env, TEMPORAL_CLI }, quietGround())).path).toBe(own);
  const onPath = machine.script('bin/my-temporal', sayingVersion(RELEASE));
  expect((await findTemporal({ ...machine.env, TEMPORAL_CLI: 'my-temporal' }, quietGround())).path).toBe(onPath);
  const file = machine.script(kept(machine), sayingVersion(RELEASE));
  const XDG_CACHE_HOME = relative(process.cwd(), join(machine.folder, '.cache'));
  expect((await findTemporal({ ...machine.env, XDG_CACHE_HOME }, quietGround())).path).toBe(file);
});

test.each([
  ['an old release', OLD],
  ['an old build without a version of its own', '0.0.0-DEV (Server 1.30.9, UI 2.45.0)'],
])('%s on PATH is passed over for the kept one', async (_, version) => {
  const machine = emptyMachine();
  machine.script('bin/temporal', sayingVersion(version));
  machine.script(kept(machine), sayingVersion(RELEASE));
  expect((await findTemporal(machine.env, quietGround())).path).toBe(cachedCommandPath(machine.env));
});

test('without any of these it is built with Go, and kept for the next time', async () => {
  const machine = emptyMachine();
  machine.script('bin/go', go('go1.26.4'));
  const found = await findTemporal(machine.env, quietGround());
  expect(found).toEqual({ path: cachedCommandPath(machine.env), version: RELEASE });
  const lines: Array<string> = [];
  await findTemporal(machine.env, quietGround(lines));
  expect(lines).toEqual([`temporal: ${found.path}, ${RELEASE} (kept from before)`]);
  expect(readdirSync(dirname(found.path))).toEqual([kept(machine).split('/').at(-1)]);
});

test('when nothing serves, one error lists every way and why not', async () => {
  const machine = emptyMachine();
  machine.script('bin/go', go('go1.25.9'));
  const error = await findTemporal(machine.env, quietGround()).catch((thrown: unknown) => thrown);
  const lines = error instanceof Error ? error.message.split('\n') : [];
  expect(lines[0]).toBe('Temporal (a command of version 1.8 or newer) was not found. Any one of these helps:');
  expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual([
    '  - TEMPORAL_ADDRESS',
    '  - TEMPORAL_CLI',
    '  - temporal on PATH',
    '  - kept from before',
    '  - download by the SDK',
    '  - build with Go 1.26 or newer from dev/tools/temporal',
  ]);
  expect(lines.at(-1)).toContain(`${join(machine.folder, 'bin/go')} is go1.25.9`);
});
