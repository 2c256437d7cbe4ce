import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { createLog, type Log } from '../../../process/log';
import { loadSettings } from '../../../dev/stack/environment';
import { Fault } from '../../../dev/stack/report';
import { withoutPassword } from '../../../dev/stack/servers';
import { warningIn } from '../../../dev/stack/service';
import { listenSettings } from '../../../dev/stack/supervise';
import { folderOfTest } from '../../support/temporary-folder';

test.each([
  ['redis://:p@ss@127.0.0.1:6379', 'redis://***@127.0.0.1:6379'],
  ['rediss://me:pass@host/1?x=@', 'rediss://***@host/1?x=@'],
  ['redis://host/@', 'redis://host/@'],
])('of %s no part of the password is shown', (url, shown) => expect(withoutPassword(url)).toBe(shown));

test('a .env that cannot be read is a fault of one line', () => {
  const file = join(folderOfTest(), '.env');
  loadSettings(file); // where there is none, there is nothing to read
  mkdirSync(file);
  const thrown = E.toUnion(
    E.tryCatch(
      () => loadSettings(file),
      (error) => error,
    ),
  );
  expect(thrown).toBeInstanceOf(Fault);
  expect(String(thrown)).toMatch(/\.env cannot be read: .+$/u);
});

test.each(['abc', '65536'])('%s is no port', (text) => {
  expect(() => listenSettings({ WORKER_PORT: text })).toThrow(`WORKER_PORT is ${text}, it must be a port, 0 to 65535`);
});

test('two that are no ports are told together', () => {
  expect(() => listenSettings({ PORT: 'a', WORKER_PORT: 'b' })).toThrow(
    'PORT is a, it must be a port, 0 to 65535; WORKER_PORT is b, it must be a port, 0 to 65535',
  );
});

/** What is shown of the line that our own processes write. */
const shownOf = (write: (log: Log) => void): ReadonlyArray<string | undefined> => {
  const lines: string[] = [];
  write(createLog({ level: 'trace', process: 'api' }, { write: (line) => void lines.push(line) }));
  return lines.map(warningIn);
};

test.each<[what: string, write: (log: Log) => void, shown: string | undefined]>([
  ['a record below a warning', (log) => log.info('listening'), undefined],
  ['a warning', (log) => log.warn('events were missed'), 'warning: events were missed'],
  ['a warning with its reason', (log) => log.warn({ reason: 'no' }, 'Redis is away'), 'warning: Redis is away: no'],
  ['an error with its cause', (log) => log.error({ err: new Error('gone') }, 'defect'), 'error: defect: gone'],
  ['the last words', (log) => log.fatal({ err: new Error('gone') }, 'cannot start'), 'fatal: cannot start: gone'],
])('%s', (_, write, shown) => expect(shownOf(write)).toEqual([shown]));

test.each([
  ['text', 'PORT must be a number', 'PORT must be a number'],
  ['text that looks like a record', '{broken', '{broken'],
  ['JSON that is no record of ours', '{"level":40,"msg":"x"}', '{"level":40,"msg":"x"}'],
  ['a frame of a stack', '    at main (file.js:1:2)', undefined],
])('%s', (_, line, shown) => expect(warningIn(line)).toBe(shown));
