import { expect, test } from 'vitest';
import { findChromium } from '../../support/find-chromium';
import { quietGround } from './ground';
import { emptyMachine } from './machine';

test('CHROMIUM is taken before what is on PATH', async () => {
  const machine = emptyMachine();
  machine.script('bin/chromium', 'exit');
  const own = machine.script('own/browser', 'exit');
  const lines: Array<string> = [];
  expect(await findChromium({ ...machine.env, CHROMIUM: own }, quietGround(lines))).toBe(own);
  expect(lines).toEqual([`chromium: ${own} (CHROMIUM)`]);
});

test('a CHROMIUM that is none ends the search', async () => {
  const machine = emptyMachine();
  machine.script('bin/chromium', 'exit');
  await expect(findChromium({ ...machine.env, CHROMIUM: '/nowhere' }, quietGround())).rejects.toThrow(
    'CHROMIUM does not serve: /nowhere is no command',
  );
});

test('Chrome on PATH serves as well', async () => {
  const machine = emptyMachine();
  const chrome = machine.script('bin/google-chrome', 'exit');
  expect(await findChromium(machine.env, quietGround())).toBe(chrome);
});

test('when nothing serves, one error lists every way and why not', async () => {
  await expect(findChromium(emptyMachine().env, quietGround())).rejects.toThrow(
    [
      'Chromium was not found. Any one of these helps:',
      '  - CHROMIUM: set it to the path of a chromium or google-chrome command',
      '  - chromium on PATH: there is none',
      '  - chromium-browser on PATH: there is none',
      '  - google-chrome on PATH: there is none',
      '  - google-chrome-stable on PATH: there is none',
      '  - apt-get install chromium: there is no apt-get on PATH',
    ].join('\n'),
  );
});
