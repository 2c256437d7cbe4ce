import { expect, test } from 'vitest';
import { warningIn } from '../../../stack/service/start-service';

test.each([
  ['a record at info', '{"level":30,"msg":"listening"}', undefined],
  ['a warning', '{"level":40,"msg":"grants refused"}', 'warning: grants refused'],
  [
    'an error with its cause',
    '{"level":50,"msg":"call failed","err":{"message":"gone","stack":"x"}}',
    'error: call failed: gone',
  ],
  ['a fatal record', '{"level":60,"msg":"cannot start"}', 'fatal: cannot start'],
  ['a record without a level', '{"msg":"x"}', undefined],
  ['text', 'PORT must be a number', 'PORT must be a number'],
  ['text that looks like a record', '{broken', '{broken'],
  ['a frame of a stack', '    at main (file.js:1:2)', undefined],
  ['an empty line', '', undefined],
])('%s', (_, line, shown) => {
  expect(warningIn(line)).toBe(shown);
});
