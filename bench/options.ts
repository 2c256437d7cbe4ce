import * as E from 'fp-ts/Either';
import { parseArgs } from 'node:util';
import { lineOf } from '../stack/report';

const sections = ['spread', 'hot', 'reads', 'lag', 'memory', 'misses'];

export const USAGE = `usage: npm run bench -- [--growth [--nodes 100,1000,10000] [--workers 1,2] | --soak MINUTES] [--rounds 3] [--seconds 8] [--only ${sections.join(',')}] [--miss-nodes 20000] [--cached-nodes 2000] [--quick] [--out reports]`;

/**
 * How large the loads are: nodes of the spread ones, of which reads and lag take the first; nodes of the growth, by so many
 * workers. Each side of a stack is under load for `warmMs` before anything is measured.
 */
const full = {
  spread: [300, 2_000, 100] as readonly [number, ...number[]],
  ...{ hotCallers: [16, 64], growth: [100, 1_000, 10_000], workers: [1, 2] },
  ...{ cachedNodes: 2_000, missNodes: 20_000, warmMs: 30_000 },
};
const quick: typeof full = {
  ...{ spread: [100], hotCallers: [16], growth: [50, 100], workers: [1, 2] },
  ...{ cachedNodes: 200, missNodes: 800, warmMs: 2_000 },
};

export const benchOptions = (args: ReadonlyArray<string>): E.Either<string, BenchOptions> =>
  E.tryCatch(() => parsed(args), lineOf);

const [text, flag] = [{ type: 'string' }, { type: 'boolean', default: false }] as const;
const known = {
  ...{ rounds: text, seconds: text, only: text, soak: text, nodes: text, workers: text },
  ...{ 'miss-nodes': text, 'cached-nodes': text, out: text, quick: flag, growth: flag },
};

export type BenchOptions = ReturnType<typeof parsed>;

const parsed = (args: ReadonlyArray<string>) => {
  const { values } = parseArgs({ args: [...args], options: known });
  const mode = values.growth ? 'growth' : values.soak === undefined ? 'table' : 'soak';
  const scale = values.quick ? quick : full;
  const seconds = numberIn(values.seconds, values.quick ? 2 : 8);
  return {
    mode,
    rounds: numberIn(values.rounds, values.quick ? 1 : 3),
    windowMs: seconds * 1_000,
    warmUpMs: Math.min(4_000, seconds * 500),
    only: mode === 'table' ? (values.only?.split(',') ?? sections) : [mode],
    soakMinutes: numberIn(values.soak, 0),
    scale: {
      ...scale,
      missNodes: numberIn(values['miss-nodes'], scale.missNodes),
      cachedNodes: numberIn(values['cached-nodes'], scale.cachedNodes),
      growth: numbersIn(values.nodes, scale.growth),
      workers: numbersIn(values.workers, scale.workers),
    },
    folder: values.out ?? 'reports',
  };
};

const numberIn = (digits: string | undefined, otherwise: number): number => {
  if (digits === undefined) return otherwise;
  if (!(Number(digits) > 0)) throw new Error('a number is greater than 0');
  return Number(digits);
};

const numbersIn = (list: string | undefined, otherwise: number[]): number[] =>
  list?.split(',').map((digits) => numberIn(digits, 0)) ?? otherwise;
