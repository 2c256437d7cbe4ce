import { Argument, Command, InvalidArgumentError } from 'commander';

const sections = ['spread', 'hot', 'reads', 'lag', 'memory', 'misses'];

/**
 * The sizes of the loads. `spread`: numbers of nodes. Lag, cost, compare and single reads use the first number; batches are
 * read out of the largest number of nodes. `growth`: numbers of nodes; each runs with each number of `workers`. `warmMs`: how
 * long service and baseline are each under load before anything is measured.
 */
const full = {
  spread: [300, 2_000, 100] as readonly [number, ...number[]],
  hotCallers: [16, 64],
  growth: [100, 1_000, 10_000],
  workers: [1, 2],
  cachedNodes: 2_000,
  missNodes: 20_000,
  warmMs: 30_000,
  paces: [0, 10, 40, 100, 200],
};
const small: typeof full = {
  spread: [100],
  hotCallers: [16],
  growth: [50, 100],
  workers: [1, 2],
  cachedNodes: 200,
  missNodes: 800,
  warmMs: 2_000,
  paces: [0, 40],
};

interface Given {
  readonly growth?: true;
  readonly soak?: number;
  readonly only: ReadonlyArray<string>;
  readonly paces?: ReadonlyArray<number>;
  readonly rounds?: number;
  readonly seconds?: number;
  readonly quick?: true;
  readonly out: string;
  readonly before?: string;
}

export type BenchOptions = ReturnType<typeof benchOptions>;

export const benchOptions = (args: ReadonlyArray<string>) => {
  const command = new Command('npm run bench --')
    .addArgument(
      new Argument(
        '[what]',
        'instead of the main table: cost, the processor time of a value at fixed paces; compare, beside the release before',
      ).choices(['cost', 'compare']),
    )
    .option('--growth', 'instead of the main table: ever more nodes, by one worker and by two')
    .option('--soak <minutes>', 'instead of the main table: so long at 70 % of the greatest rate', positive)
    .option('--only <sections>', 'of the main table', (list: string) => list.split(','), sections)
    .option('--paces <list>', 'of cost: calls per second; 0 is idle', (list: string) => list.split(',').map(pace))
    .option(
      '--before <folder>',
      'of compare: a checkout of the release before, with its `npm ci && npm run build` done',
    )
    .option('--rounds <count>', 'how often each load runs', positive)
    .option('--seconds <count>', 'how long each load runs', positive)
    .option('--quick', 'small loads, which only show that everything runs')
    .option('--out <folder>', 'where the figures go', 'reports')
    .parse(args, { from: 'user' });
  const [given, [what]] = [command.opts<Given>(), command.args];
  const isQuick = given.quick === true;
  const mode = what ?? (given.growth === true ? 'growth' : given.soak === undefined ? 'table' : 'soak');
  const usual = mode === 'cost' ? 20 : 8; // at ten values per second, a shorter window has too few calls
  const usualRounds = mode === 'compare' ? 5 : 3;
  const { rounds = isQuick ? 1 : usualRounds, seconds = isQuick ? 2 : usual, soak: soakMinutes = 0 } = given;
  const scale = isQuick ? small : full;
  if ((mode === 'compare') !== (given.before !== undefined))
    command.error('error: compare and --before FOLDER go together');
  return {
    mode,
    rounds,
    soakMinutes,
    folder: given.out,
    ...(given.before !== undefined && { before: given.before }),
    only: mode === 'table' ? given.only : [mode],
    windowMs: seconds * 1_000,
    warmUpMs: Math.min(4_000, seconds * 500),
    scale: { ...scale, paces: given.paces ?? scale.paces },
  };
};

const pace = (text: string): number => {
  if (!(Number(text) >= 0)) throw new InvalidArgumentError('A pace is 0 or above.');
  return Number(text);
};

const positive = (text: string): number => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return Number(text);
};
