import * as E from 'fp-ts/Either';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { outputOf } from '../../stack/environment';
import { jemalloc } from '../../stack/service';
import { inspectTemporal } from '../../stack/temporal-command';
import type { BenchGround } from '../bench-stack';
import type { Row } from '../measure/measure';
import { shown } from './cell';

/** All that a run showed, as it is kept beside its tables. */
export interface Report {
  readonly mode: string;
  /** When it began, in UTC. */
  readonly at: string;
  readonly command: string;
  readonly machine: Machine;
  readonly rows: ReadonlyArray<Row>;
}

/** Where it ran. */
interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly system: string;
  /** Processes that wanted to run when it began, the mean of a minute: above a few tenths, others were at work. */
  readonly load: number;
  readonly versions: Readonly<Record<string, string>>;
}

/** The machine and the versions of what runs on it. */
export const thisMachine = async ({ commands }: BenchGround): Promise<Machine> => {
  const temporal = await inspectTemporal(commands.temporal, process.env);
  const redis = await outputOf(commands.redis, ['--version'], process.env);
  const sdk: { readonly version: string } = JSON.parse(
    readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8'),
  );
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    versions: {
      Node: process.versions.node,
      'Temporal TypeScript SDK': sdk.version,
      Temporal: E.isRight(temporal) ? temporal.right.version : temporal.left,
      Redis: /v=(\S+)/u.exec(redis)?.[1] ?? redis.trim(),
      malloc: jemalloc === undefined ? "the system's" : 'jemalloc',
    },
  };
};

/** One line about the machine. */
export const machineLine = ({ cores, model, memoryGiB, system, load, versions }: Machine): string =>
  `${cores} cores (${model}), ${memoryGiB} GiB, ${system}, load ${shown(load)} before. ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`;
