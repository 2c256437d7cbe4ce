import { Argument, Command, InvalidArgumentError } from 'commander';

const sections = ['spread', 'hot', 'reads', 'lag', 'memory', 'misses'];

/**
 * How large the loads are: nodes of the spread ones, of which reads and lag take the first; nodes of the growth, by so many
 * workers. Each side of a stack is under load for `warmMs` before anything is measured.
 */
const full = {
  spread: [300, 2_000, 100] as readonly [number, ...number[]],
  ...{ hotCallers: [16, 64], growth: [100, 1_000, 10_000], workers: [1, 2] },
  ...{ cachedNodes: 2_000, missNodes: 20_000, warmMs: 30_000, paces: [0, 10, 40, 100, 200] },
};
const small: typeof full = {
  ...{ spread: [100], hotCallers: [16], growth: [50, 100], workers: [1, 2] },
  ...{ cachedNodes: 200, missNodes: 800, warmMs: 2_000, paces: [0, 40] },
};

interface Given {
  readonly growth?: true;
  readonly soak?: number;
  readonly only: ReadonlyArray<string>;
  readonly rounds?: number;
  readonly seconds?: number;
  readonly quick?: true;
  readonly out: string;
}

export type BenchOptions = ReturnType<typeof benchOptions>;

export const benchOptions = (args: ReadonlyArray<string>) => {
  const command = new Command('npm run bench --')
    .addArgument(
      new Argument('[what]', 'instead of the main table: the processor time of a value, at fixed paces').choices([
        'cost',
      ]),
    )
    .option('--growth', 'instead of the main table: ever more nodes, by one worker and by two')
    .option('--soak <minutes>', 'instead of the main table: so long at 70 % of the greatest rate', positive)
    .option('--only <sections>', 'of the main table', (list: string) => list.split(','), sections)
    .option('--rounds <count>', 'how often each load runs', positive)
    .option('--seconds <count>', 'how long each load runs', positive)
    .option('--quick', 'small loads, which only show that everything runs')
    .option('--out <folder>', 'where the figures go', 'reports')
    .parse(args, { from: 'user' });
  const [given, [what]] = [command.opts<Given>(), command.args];
  const isQuick = given.quick === true;
  const mode = what ?? (given.growth === true ? 'growth' : given.soak === undefined ? 'table' : 'soak');
  const usual = mode === 'cost' ? 20 : 8; // a value each tenth of a second is few
  const { rounds = isQuick ? 1 : 3, seconds = isQuick ? 2 : usual, soak: soakMinutes = 0 } = given;
  return {
    ...{ mode, rounds, soakMinutes, folder: given.out },
    only: mode === 'table' ? given.only : [mode],
    windowMs: seconds * 1_000,
    warmUpMs: Math.min(4_000, seconds * 500),
    scale: isQuick ? small : full,
  };
};

const positive = (text: string): number => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return Number(text);
};
