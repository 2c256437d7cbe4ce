import * as E from 'fp-ts/Either';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { jemalloc } from '../../scripts/start/jemalloc';
import { outputOf } from '../../scripts/stack/run-command';
import { inspectTemporal } from '../../scripts/stack/temporal-command';
import type { BenchGround } from '../stack/bench-stack';
import type { Machine } from './report';

/** The machine and the versions of what runs on it. */
export const thisMachine = async ({ commands }: BenchGround): Promise<Machine> => {
  const temporal = await inspectTemporal(commands.temporal, process.env);
  const redis = await outputOf(commands.redis, ['--version'], process.env);
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    versions: {
      Node: process.versions.node,
      'Temporal TypeScript SDK': sdkVersion(),
      Temporal: E.isRight(temporal) ? temporal.right.version : temporal.left,
      Redis: /v=(\S+)/u.exec(redis)?.[1] ?? redis.trim(),
      malloc: jemalloc === undefined ? "the system's" : 'jemalloc',
    },
  };
};

const sdkVersion = (): string => {
  const text = readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
};
