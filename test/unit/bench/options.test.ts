import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { benchOptions } from '../../../bench/options';

const optionsOf = (...args: ReadonlyArray<string>) => {
  const options = benchOptions(args);
  if (E.isLeft(options)) throw new Error(options.left);
  return options.right;
};

test.each([
  [['--soak', '30'], { mode: 'soak', soakMinutes: 30 }],
  [
    ['--only', 'spread,hot', '--rounds', '5', '--seconds', '1.5'],
    { only: ['spread', 'hot'], rounds: 5, windowMs: 1_500 },
  ],
  [
    ['--growth', '--nodes', '50000', '--workers', '2,5', '--cached-nodes', '10000'],
    { mode: 'growth', scale: { growth: [50_000], workers: [2, 5], cachedNodes: 10_000 } },
  ],
  [['--quick'], { rounds: 1, scale: { spread: [100] } }],
])('%j asks for %j', (args, wanted) => expect(optionsOf(...args)).toMatchObject(wanted));

test.each([[['graphs']], [['--rounds', '0']], [['--nodes', '10,some']], [['--loud']]])('%j is refused', (args) => {
  expect(E.isLeft(benchOptions(args))).toBe(true);
});
