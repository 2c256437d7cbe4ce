import { expect, test } from 'vitest';
import { findLocales } from '../../../stack/find-commands';
import { quietGround } from './ground';
import { emptyMachine } from './machine';

test.each([
  ['as glibc does', 'C.utf8\\ncs_CZ\\ncs_CZ.utf8\\nda_DK.utf8'],
  ['as macOS does', 'cs_CZ.UTF-8\\nda_DK.UTF-8'],
])('a machine that has the locales serves, which it names %s', async (_name, names) => {
  const machine = emptyMachine();
  machine.script('bin/locale', `[ "$1" = -a ] && printf '${names}\\n'`);
  const lines: Array<string> = [];
  await findLocales(machine.env, quietGround(lines));
  expect(lines).toEqual(['locales: cs_CZ.UTF-8, da_DK.UTF-8 (cs_CZ.UTF-8 and da_DK.UTF-8 on this machine)']);
});

test('when nothing serves, one error names what is missing', async () => {
  const machine = emptyMachine();
  machine.script('bin/locale', 'echo da_DK.utf8; echo cs_CZ.iso88592');
  await expect(findLocales(machine.env, quietGround())).rejects.toThrow(
    [
      'A locale was not found. Any one of these helps:',
      '  - cs_CZ.UTF-8 and da_DK.UTF-8 on this machine: `locale -a` does not name cs_CZ.UTF-8',
      '  - apt-get install locales-all: there is no apt-get on PATH',
    ].join('\n'),
  );
});
