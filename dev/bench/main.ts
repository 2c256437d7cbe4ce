import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import type { Interrupts } from '../../process/interrupts';
import { outputOf } from '../stack/environment';
import { findRedis } from '../stack/find-commands';
import { startWatchdog, type Ground } from '../stack/ground';
import { reportedFault, reportTo, secondsSince } from '../stack/report';
import { jemalloc } from '../stack/service';
import { findTemporal, inspectTemporal } from '../stack/temporal-command';
import { loads } from './loads';
import { measureRow, warmUp, type Row } from './measure';
import { benchOptions, type BenchOptions } from './options';
import { rowLine, formatNumber, tablesOf } from './report';
import { startBenchStack, type BenchGround } from './stack';

/**
 * Measures what `args` ask for, on servers that it starts itself. It writes `bench.json` or `bench-<mode>.json` after each
 * measurement, so that a run that is ended early keeps its figures. Everything that was started is stopped, whatever happens.
 */
export const benchmark = async (args: ReadonlyArray<string>, { first, again }: Interrupts): Promise<void> => {
  const options = benchOptions(args);
  const watchdog = startWatchdog();
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-bench-'));
  watchdog.remove(folder);
  again.addEventListener('abort', () => process.exit(1)); // the watchdog ends what is left
  try {
    await measured(options, args, { report: reportTo(process.stderr), watchdog, signal: first }, folder);
  } catch (thrown) {
    throw first.aborted ? reportedFault('interrupted') : thrown;
  } finally {
    await watchdog.close();
  }
};

const measured = async (options: BenchOptions, args: ReadonlyArray<string>, ground: Ground, folder: string) => {
  const begin = Date.now();
  const commands = {
    temporal: (await findTemporal(process.env, ground)).path,
    redis: await findRedis(process.env, ground),
  };
  const rows: Row[] = [];
  const report = {
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
  const quiet: Ground['report'] = (component, line) => {
    const isOurs = component !== 'baseline'; // the baseline's SDK logs warnings about its own retries
    if (isOurs && /warn|error|ended|not ready/u.test(line)) ground.report(component, line);
  };
  say(report.machine);
  for (const { stack: plan, rows: all } of loads(options)) {
    const wanted = all.filter(({ section }) => options.only.includes(section));
    if (wanted.length === 0) continue;
    const stack = await startBenchStack(plan, { ...ground, report: quiet, folder, commands });
    const bench = { options, signal: ground.signal, say, note, stack };
    const isMeasuredCold = wanted.some((row) => 'measure' in row); // memory must be measured before any load
    if (!isMeasuredCold) await warmUp(bench);
    for (const row of wanted) await ('measure' in row ? row.measure(bench) : measureRow(bench, row));
    await stack.stop();
  }
  for (const [title, text] of Object.entries(tablesOf(rows))) process.stdout.write(`\n${title}\n\n${text}\n`);
  say(`done in ${secondsSince(begin)}; ${file}`);
};

/** The machine and its software in one line. A `load` (mean of a minute) above some tenths means that other programs ran. */
const thisMachine = async (commands: BenchGround['commands']): Promise<string> => {
  const { version } = await inspectTemporal(commands.temporal, process.env);
  const redis = await outputOf(commands.redis, ['--version'], process.env);
  const sdk: { readonly version: string } = JSON.parse(
    readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8'),
  );
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gibibytes} GiB`,
    `${type()} ${release()}`,
    `load ${formatNumber(loadavg()[0])} before. Node ${process.versions.node}`,
    `Temporal TypeScript SDK ${sdk.version}`,
    `Temporal ${version}`,
    `Redis ${/v=(\S+)/u.exec(redis)?.[1] ?? redis.trim()}`,
    `malloc ${jemalloc === undefined ? "the system's" : 'jemalloc'}`,
  ].join(', ');
};
