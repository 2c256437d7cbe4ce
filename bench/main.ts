import * as E from 'fp-ts/Either';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import type { Interrupts } from '../process/interrupts';
import { outputOf } from '../stack/environment';
import { findRedis } from '../stack/find-commands';
import { startWatchdog, type Ground } from '../stack/ground';
import { fault, reportTo, secondsSince, type Report as Say } from '../stack/report';
import { jemalloc } from '../stack/service';
import { findTemporal, inspectTemporal } from '../stack/temporal-command';
import { loads } from './loads';
import { measureRow, warm, type Bench, type Row } from './measure';
import type { BenchOptions } from './options';
import { rowLine, shown, tablesOf, type Report } from './report';
import { startBenchStack, type BenchGround } from './stack';

const LONGEST_MS = 90 * 60_000;

/**
 * Measures what `options` ask for on stacks of its own, and writes `bench.json` or `bench-<mode>.json` after each row, so
 * that what a run measured before it was ended is kept. Everything that was started is stopped, whatever happens; with
 * `BENCH_KEEP=1` files and logs stay.
 */
export const benchmark = async (options: BenchOptions, args: ReadonlyArray<string>, interrupts: Interrupts) => {
  const watchdog = startWatchdog();
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-bench-'));
  if (process.env['BENCH_KEEP'] === undefined) watchdog.remove(folder);
  const ending = new AbortController();
  const end = (why: string) => (): void => ending.abort(fault(why));
  const timer = setTimeout(end('it took too long'), LONGEST_MS + options.soakMinutes * 60_000);
  interrupts.first.addEventListener('abort', end('interrupted'));
  interrupts.again.addEventListener('abort', () => process.exit(1)); // the watchdog ends what is left
  try {
    await measured(options, args, { report: reportTo(process.stderr), watchdog, signal: ending.signal }, folder);
  } catch (thrown) {
    throw ending.signal.aborted ? ending.signal.reason : thrown;
  } finally {
    clearTimeout(timer);
    await watchdog.close();
  }
};

const measured = async (options: BenchOptions, args: ReadonlyArray<string>, ground: Ground, folder: string) => {
  const begin = Date.now();
  const commands = {
    temporal: (await findTemporal(process.env, ground)).path,
    redis: await findRedis(process.env, ground),
  };
  const quiet: Say = (component, line) => {
    if (/warn|error|ended|not ready/u.test(line)) ground.report(component, line);
  };
  const rows: Row[] = [];
  const report: Report = {
    mode: options.mode,
    at: new Date().toISOString(),
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    machine: await thisMachine(commands),
    rows,
  };
  const file = join(options.folder, options.mode === 'table' ? 'bench.json' : `bench-${options.mode}.json`);
  const say = (line: string): void => ground.report('bench', line);
  const note = (row: Row): void => {
    rows.push(row);
    say(rowLine(row));
    mkdirSync(options.folder, { recursive: true });
    writeFileSync(file, `${JSON.stringify(report, undefined, 1)}\n`);
  };
  say(report.machine);
  const benchGround = { ...ground, report: quiet, folder, commands };
  await measureAll({ options, ground: benchGround, say, note });
  for (const [title, text] of Object.entries(tablesOf(rows))) process.stdout.write(`\n${title}\n\n${text}\n`);
  say(`done in ${secondsSince(begin)}; ${file}`);
};

/** What is asked for, each section on a stack that suits it, which is stopped whatever happens. */
const measureAll = async (bench: Bench): Promise<void> => {
  for (const { stack: plan, rows } of loads(bench.options)) {
    const wanted = rows.filter(({ section }) => bench.options.only.includes(section));
    if (wanted.length === 0) continue;
    const stack = await startBenchStack(plan, bench.ground);
    try {
      if (plan.isCold !== true) await warm(bench, stack);
      for (const row of wanted) await ('measure' in row ? row.measure(bench, stack) : measureRow(bench, stack, row));
    } finally {
      await stack.stop();
    }
  }
};

/** One line about the machine and what runs on it. Its load is the mean of the last minute: above a few tenths, others were at work. */
const thisMachine = async (commands: BenchGround['commands']): Promise<string> => {
  const temporal = await inspectTemporal(commands.temporal, process.env);
  const redis = await outputOf(commands.redis, ['--version'], process.env);
  const sdk: { readonly version: string } = JSON.parse(
    readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8'),
  );
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gibibytes} GiB`,
    `${type()} ${release()}`,
    `load ${shown(loadavg()[0])} before. Node ${process.versions.node}`,
    `Temporal TypeScript SDK ${sdk.version}`,
    `Temporal ${E.isRight(temporal) ? temporal.right.version : temporal.left}`,
    `Redis ${/v=(\S+)/u.exec(redis)?.[1] ?? redis.trim()}`,
    `malloc ${jemalloc === undefined ? "the system's" : 'jemalloc'}`,
  ].join(', ');
};
