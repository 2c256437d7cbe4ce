import type * as E from 'fp-ts/Either';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChild } from './child';
import type { Environment } from './environment';
import { buildGoTool, keepTool, type GoTool } from './go-tool';
import type { Ground } from './ground';
import { projectRoot } from './project-root';
import { withProgress } from './report';
import { inspectTemporal, keptPath, PINNED_VERSION, type TemporalCommand } from './temporal-command';

/** Time (ms) after which a download that does not grow is aborted. */
const STALLED_MS = 12_000;

/** The Temporal command by the SDK's own download, in a process of its own since it cannot be given up otherwise; then kept. */
export const downloadTemporal = (env: Environment, ground: Ground): Promise<E.Either<string, TemporalCommand>> =>
  keepTool(temporalTool(env), ground, async (path) => {
    const folder = join(dirname(path), 'download');
    mkdirSync(folder);
    const args = [join(projectRoot, 'stack/sdk-download.mjs'), folder, `v${PINNED_VERSION}`];
    const log = join(dirname(path), 'download.log');
    const plan = { name: 'download', command: process.execPath, args, folder: projectRoot, env, log };
    const download = async (): Promise<void> => {
      const stalled = new AbortController();
      let [bytes, since] = [0, Date.now()];
      const timer = setInterval(() => {
        const size = bytesIn(folder);
        if (size > bytes) [bytes, since] = [size, Date.now()];
        else if (Date.now() - since > STALLED_MS) stalled.abort(new Error(`nothing came for ${STALLED_MS / 1000} s`));
      }, 200);
      const signal = AbortSignal.any([ground.signal, stalled.signal]);
      await runChild(plan, { ...ground, signal })
        .catch((thrown: unknown) => {
          const url = /failed to download.*?\((https:[^)]+)\)/.exec(readFileSync(log, 'utf8'))?.[1];
          throw url === undefined ? thrown : new Error(`cannot reach ${url}`);
        })
        .finally(() => {
          clearInterval(timer);
        });
      const file = readdirSync(folder).find((name) => !name.endsWith('.downloading'));
      if (file === undefined) throw new Error('it failed');
      renameSync(join(folder, file), path);
    };
    const doing = ['temporal', `downloading Temporal ${PINNED_VERSION} by the SDK`] as const;
    await withProgress(ground.report, doing, download, () => `, ${Math.round(bytesIn(folder) / 1e6)} MB`);
  });

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

const PACKAGE = 'github.com/temporalio/cli';

const temporalTool = (env: Environment): GoTool<TemporalCommand> => ({
  title: 'Temporal',
  version: PINNED_VERSION,
  module: 'temporal',
  package: `${PACKAGE}/cmd/temporal`,
  linkFlags: `-X ${PACKAGE}/internal/temporalcli.Version=${PINNED_VERSION}`,
  kept: keptPath(env),
  inspect: (path) => inspectTemporal(path, env),
});

/** The Temporal command built from the pinned Go module in `tools/temporal`, then kept. Takes minutes, once. */
export const buildTemporal = (env: Environment, ground: Ground): Promise<E.Either<string, TemporalCommand>> =>
  buildGoTool(temporalTool(env), env, ground);
