import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portChooser } from '../stack/free-ports';
import { fault, reportTo, secondsSince, type Report as Say } from '../stack/report';
import { findRedis } from '../stack/find-commands';
import { findTemporal } from '../stack/temporal-command';
import { type Ground, startWatchdog } from '../stack/ground';
import type { Interrupts } from '../stack/interrupts';
import { growth } from './measure/growth';
import type { Bench, Row } from './measure/measure';
import { profile } from './measure/profile';
import { soak } from './measure/soak';
import { table } from './measure/table';
import type { BenchOptions } from './options';
import { marksOf, shown } from './report/cell';
import { machineLine, thisMachine, type Report } from './report/report';
import { tablesOf } from './report/tables';

const MODES = { table, profile, growth, soak } as const;

/** Time limit (ms) of a benchmark; the soak has its minutes besides. */
const LONGEST_MS = 90 * 60_000;

/**
 * Measures what `options` ask for on stacks of its own, and writes `bench.json` or `bench-<mode>.json` after each row, so
 * that what a run measured before it was ended is kept. Everything that was started is stopped, whatever happens; with
 * `BENCH_KEEP=1` files and logs stay.
 */
export const benchmark = async (
  options: BenchOptions,
  args: ReadonlyArray<string>,
  interrupts: Interrupts,
): Promise<void> => {
  const watchdog = startWatchdog();
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-bench-'));
  if (process.env['BENCH_KEEP'] === undefined) watchdog.remove(folder);
  const ending = new AbortController();
  const end = (why: string) => (): void => {
    ending.abort(fault(why));
  };
  const timer = setTimeout(end('it took too long'), LONGEST_MS + options.soakMinutes * 60_000);
  interrupts.first.addEventListener('abort', end('interrupted'));
  interrupts.again.addEventListener('abort', () => process.exit(1)); // the watchdog ends what is left
  const say = reportTo(process.stderr);
  try {
    await measured(options, args, { report: say, watchdog, signal: ending.signal }, folder);
  } catch (thrown) {
    throw ending.signal.aborted ? ending.signal.reason : thrown;
  } finally {
    clearTimeout(timer);
    await watchdog.close();
  }
};

const measured = async (
  options: BenchOptions,
  args: ReadonlyArray<string>,
  ground: Ground,
  folder: string,
): Promise<void> => {
  const begin = Date.now();
  const commands = {
    temporal: (await findTemporal(process.env, ground)).path,
    redis: await findRedis(process.env, ground),
  };
  const quiet: Say = (component, line) => {
    if (/warn|error|ended|not ready/u.test(line)) ground.report(component, line);
  };
  const benchGround = { ...ground, report: quiet, folder, commands, choosePort: portChooser('127.0.0.1') };
  const rows: Row[] = [];
  const report: Report = {
    mode: options.mode,
    at: new Date().toISOString(),
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    machine: await thisMachine(benchGround),
    rows,
  };
  const say = (line: string): void => {
    ground.report('bench', line);
  };
  const bench: Bench = {
    options,
    ground: benchGround,
    say,
    note: (row) => {
      rows.push(row);
      say(lineOf(row));
      keep(report, options);
    },
  };
  say(machineLine(report.machine));
  await MODES[options.mode](bench);
  for (const [section, text] of Object.entries(tablesOf(report))) process.stdout.write(`\n${section}\n\n${text}\n`);
  say(`done in ${secondsSince(begin)}; ${keep(report, options)}`);
};

const keep = (report: Report, { folder, mode }: BenchOptions): string => {
  const file = join(folder, mode === 'table' ? 'bench.json' : `bench-${mode}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 1)}\n`);
  return file;
};

const lineOf = ({ section, load, side, round, figures }: Row): string => {
  const { perSecond, p50, p99, ...rest } = figures;
  const rate = perSecond === undefined ? '' : `${shown(perSecond)}/s`;
  const times = p50 === undefined ? '' : `p50 ${shown(p50)} ms, p99 ${shown(p99)} ms`;
  const others = Object.entries(rest)
    .filter(([name]) => !/^(cores|resident|failed|max|minute|file)/u.test(name))
    .map(([name, value]) => `${name} ${shown(value)}`);
  const texts = [rate, times, ...others, marksOf(figures)].filter((text) => text !== '').join(', ');
  return `${section}, ${load}, ${side}, round ${round}: ${texts}`;
};
