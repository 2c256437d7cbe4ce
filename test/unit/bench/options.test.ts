import { expect, test } from 'vitest';
import { benchOptions } from '../../../dev/bench/options';

test.each([
  [['--soak', '30'], { mode: 'soak', soakMinutes: 30, only: ['soak'] }],
  [
    ['--only', 'spread,hot', '--rounds', '5', '--seconds', '1.5'],
    { only: ['spread', 'hot'], rounds: 5, windowMs: 1_500, folder: 'reports' },
  ],
  [['cost'], { mode: 'cost', only: ['cost'], windowMs: 20_000, scale: { paces: [0, 10, 40, 100, 200] } }],
  [['--growth'], { mode: 'growth', only: ['growth'], scale: { growth: [100, 1_000, 10_000] } }],
  [['--quick'], { rounds: 1, scale: { spread: [100] } }],
])('%j asks for %j', (args, wanted) => expect(benchOptions(args)).toMatchObject(wanted));
