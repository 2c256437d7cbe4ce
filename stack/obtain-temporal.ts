import * as E from 'fp-ts/Either';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runChild } from './child';
import type { Environment } from './environment';
import { lineOf } from './fault';
import type { Ground } from './ground';
import { projectRoot } from './project-root';
import { withProgress } from './report';
import { onPath, outputOf } from './run-command';
import { inspectTemporal, keptPath, PINNED_VERSION, type TemporalCommand } from './temporal-command';

/**
 * Keeps the command that `make` puts at the path it is given. It works in a folder of its own beside the kept one and the
 * result is renamed into place, so that two at once do each other no harm, and half a file is never found.
 *
 * Errors: left is why it could not be made; an abort is thrown.
 */
const keepTemporal = async (
  env: Environment,
  { signal, watchdog }: Ground,
  make: (path: string) => Promise<void>,
): Promise<E.Either<string, TemporalCommand>> => {
  const kept = keptPath(env);
  let folder: string | undefined;
  try {
    mkdirSync(dirname(kept), { recursive: true });
    folder = mkdtempSync(join(dirname(kept), `.${basename(kept)}-`));
    watchdog.remove(folder);
    const path = join(folder, 'temporal');
    await make(path);
    chmodSync(path, 0o755);
    const found = await inspectTemporal(path, env);
    if (E.isLeft(found)) return found;
    renameSync(path, kept);
    return E.right({ ...found.right, path: kept });
  } catch (thrown) {
    signal.throwIfAborted();
    return E.left(folder === undefined ? `cannot write to ${dirname(kept)}: ${lineOf(thrown)}` : lineOf(thrown));
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
};

/** Time (ms) after which a download that does not grow is aborted. */
const STALLED_MS = 12_000;

/** The Temporal command by the SDK's own download, in a process of its own since it cannot be given up otherwise; then kept. */
export const downloadTemporal = (env: Environment, ground: Ground): Promise<E.Either<string, TemporalCommand>> =>
  keepTemporal(env, ground, async (path) => {
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
const LINK_FLAGS = `-s -w -X ${PACKAGE}/internal/temporalcli.Version=${PINNED_VERSION}`;
const BUILD = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', LINK_FLAGS];

/** The Temporal command built from the pinned Go module in `tools/temporal`, then kept. Takes minutes, once. */
export const buildTemporal = async (env: Environment, ground: Ground): Promise<E.Either<string, TemporalCommand>> => {
  const go = onPath('go', env);
  if (go === undefined) return E.left('there is no go on PATH');
  const version = await outputOf(go, ['env', 'GOVERSION'], env).then((text) => text.trim(), lineOf);
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  if (!(Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 26))) return E.left(`${go} is ${version}`);
  const doing = ['temporal', `building Temporal ${PINNED_VERSION} with ${version} (some minutes, once)`] as const;
  return keepTemporal(env, ground, async (path) => {
    const log = join(dirname(path), 'build.log');
    const args = [...BUILD, '-o', path, `${PACKAGE}/cmd/temporal`];
    const folder = join(projectRoot, 'tools/temporal');
    const plan = { name: 'go build', command: go, args, folder, env: { ...env, GOWORK: 'off' }, log };
    await withProgress(
      ground.report,
      doing,
      () => runChild(plan, ground),
      () => stageIn(log),
    );
  });
};

/** How far the build is, by the lines that `go build -v` wrote: one for each module fetched and each package compiled. */
const stageIn = (log: string): string => {
  const lines = readFileSync(log, 'utf8').split('\n');
  const fetched = lines.filter((line) => line.startsWith('go: downloading')).length;
  const compiled = lines.length - 1 - fetched;
  return `, ${fetched > 0 ? `${fetched} modules fetched, ` : ''}${compiled} packages compiled`;
};
