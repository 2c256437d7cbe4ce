import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { benchOptions } from '../../../bench/options';

const optionsOf = (...args: ReadonlyArray<string>) => {
  const options = benchOptions(args);
  if (E.isLeft(options)) throw new Error(options.left);
  return options.right;
};

test.each([
  [['profile'], { mode: 'profile' }],
  [['--soak', '30'], { mode: 'soak', soakMinutes: 30 }],
  [
    ['--only', 'spread,hot', '--rounds', '5', '--seconds', '1.5'],
    { only: ['spread', 'hot'], rounds: 5, windowMs: 1_500 },
  ],
  [['--quick'], { rounds: 1, scale: { spread: [100] } }],
])('%j asks for %j', (args, wanted) => {
  expect(optionsOf(...args)).toMatchObject(wanted);
});

test.each([[['graphs']], [['--rounds', '0']], [['--loud']]])('%j is refused', (args) => {
  expect(E.isLeft(benchOptions(args))).toBe(true);
});
