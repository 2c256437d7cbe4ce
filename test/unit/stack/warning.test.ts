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
  ['text', 'PORT must be a number', 'PORT must be a number'],
  ['text that looks like a record', '{broken', '{broken'],
  ['a frame of a stack', '    at main (file.js:1:2)', undefined],
])('%s', (_, line, shown) => {
  expect(warningIn(line)).toBe(shown);
});
