import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChild } from './child';
import { setting, type Environment, isExecutable, onPath, outputOf, pathOf } from './environment';
import { reportedFault, lineOf, withProgress } from './report';
import { findInSources, rejectSource } from './find-commands';
import {
  buildSource,
  isAtLeast,
  cacheTool,
  cachedToolPath,
  cachedSource,
  type FoundCommand,
  type GoTool,
} from './go-tool';
import type { Ground } from './ground';
import { projectRoot } from './project-root';

/** The version that is downloaded or built, and then kept. `dev/tools/temporal/go.mod` pins the same version. */
const PINNED_VERSION = '1.8.2';

/**
 * The Temporal command, found in the first way that works: TEMPORAL_CLI, PATH, the command kept from before, the SDK's
 * download, a build with Go. A command that is downloaded or built is kept in the user's cache folder.
 *
 * Errors: a `Fault` if TEMPORAL_CLI is set and its command cannot be used, or if no way works.
 */
export const findTemporal = async (env: Environment, ground: Ground): Promise<FoundCommand> => {
  const ways = [
    { name: 'TEMPORAL_ADDRESS', find: () => rejectSource('set it to the address of a server, host:port') },
    { name: 'TEMPORAL_CLI', find: () => named(env) },
    {
      name: 'temporal on PATH',
      find: () => inspectTemporal(onPath('temporal', env) ?? rejectSource('there is none'), env),
    },
    cachedSource(temporal, env),
    { name: 'download by the SDK', find: () => downloadTemporal(env, ground) },
    buildSource(temporal, env, ground),
  ];
  const { way, value } = await findInSources('Temporal (a command of version 1.8 or newer)', ways, ground);
  ground.report('temporal', `${value.path}, ${value.version} (${way})`);
  return value;
};

const named = (env: Environment): Promise<FoundCommand> => {
  const hint = `set it to the path of a temporal command, for instance of version ${PINNED_VERSION}`;
  const given = setting(env, 'TEMPORAL_CLI');
  return inspectTemporal(given === undefined ? rejectSource(hint) : pathOf(given, env), env).catch(
    (thrown: unknown) => {
      throw reportedFault(`TEMPORAL_CLI does not serve: ${lineOf(thrown)}`);
    },
  );
};

/** The command at `path`, and its version, such as `1.8.2 (Server 1.31.2, UI 2.50.1)`. Errors: why it cannot be used. */
export const inspectTemporal = async (path: string, env: Environment): Promise<FoundCommand> => {
  if (!isExecutable(path)) rejectSource(`${path} is not an executable file`);
  const output = await outputOf(path, ['--version'], env);
  const version = /temporal version (.+)/.exec(output)?.[1]?.trim() ?? rejectSource(`${path} reports no version`);
  return isNewEnough(version) ? { path, version } : rejectSource(`${path} is ${version}, 1.8 or newer is needed`);
};

/**
 * Whether the command's version is 1.8 or newer, or its server's version 1.31 or newer. The server counts too, because a
 * command that was built without a release's flags calls itself 0.0.0-DEV.
 */
const isNewEnough = (version: string): boolean =>
  isAtLeast(1, 8, /^v?(\d+)\.(\d+)/.exec(version)) || isAtLeast(1, 31, /Server (\d+)\.(\d+)/.exec(version));

/** Time (ms) after which a download that does not grow is aborted. */
const STALLED_MS = 12_000;

/** Has the SDK download the Temporal command, and keeps it. A separate process downloads: the SDK cannot abort a download. */
const downloadTemporal = (env: Environment, ground: Ground): Promise<FoundCommand> =>
  cacheTool(temporal, env, ground, async (path) => {
    const folder = join(dirname(path), 'download');
    mkdirSync(folder);
    const args = [join(projectRoot, 'dev/stack/sdk-download.mjs'), folder, `v${PINNED_VERSION}`];
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
        .finally(() => clearInterval(timer));
      const file = readdirSync(folder).find((name) => !name.endsWith('.downloading'));
      if (file === undefined) throw new Error('it failed');
      renameSync(join(folder, file), path);
    };
    const doing = ['temporal', `downloading Temporal ${PINNED_VERSION} by the SDK`] as const;
    await withProgress(ground.report, doing, download, () => `, ${Math.round(bytesIn(folder) / 1e6)} MB`);
  });

const bytesIn = (folder: string): number => {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
};

const PACKAGE = 'github.com/temporalio/cli';

const temporal: GoTool = {
  title: 'Temporal',
  version: PINNED_VERSION,
  module: 'temporal',
  package: `${PACKAGE}/cmd/temporal`,
  linkFlags: `-X ${PACKAGE}/internal/temporalcli.Version=${PINNED_VERSION}`,
  inspect: inspectTemporal,
};

export const cachedCommandPath = (env: Environment): string => cachedToolPath(temporal, env);
