import * as E from 'fp-ts/Either';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runChild } from './child';
import { setting, type Environment, isExecutable, onPath, outputOf } from './environment';
import { lineOf, withProgress } from './report';
import { firstWay } from './find-commands';
import type { Ground } from './ground';
import { projectRoot } from './project-root';

/** A command of a pinned Go module in `tools/`, as it is kept in the user's cache folder. */
export interface GoTool<A> {
  /** What it is called in reports. */
  readonly title: string;
  readonly version: string;
  /** The folder in `tools/` with its go.mod. */
  readonly module: string;
  readonly package: string;
  readonly linkFlags: string;
  /** Where it is kept. */
  readonly kept: string;
  /** What the command at `path` is; left is why it does not serve. */
  readonly inspect: (path: string) => Promise<E.Either<string, A>>;
}

/** The kept file of this name and version, for this user and machine. */
export const keptTool = (name: string, version: string, env: Environment): string =>
  join(
    setting(env, 'XDG_CACHE_HOME') ?? join(setting(env, 'HOME') ?? homedir(), '.cache'),
    'point-alarm-service',
    `${name}-${version}-${process.platform}-${process.arch}`,
  );

/**
 * Keeps the command that `make` puts at the path it is given. It works in a folder of its own beside the kept one and the
 * result is renamed into place, so that two at once do each other no harm, and half a file is never found.
 *
 * Errors: left is why it could not be made; an abort is thrown.
 */
export const keepTool = async <A>(
  { kept, inspect }: Pick<GoTool<A>, 'kept' | 'inspect'>,
  { signal, watchdog }: Ground,
  make: (path: string) => Promise<void>,
): Promise<E.Either<string, A>> => {
  let folder: string | undefined;
  try {
    mkdirSync(dirname(kept), { recursive: true });
    folder = mkdtempSync(join(dirname(kept), `.${basename(kept)}-`));
    watchdog.remove(folder);
    const path = join(folder, 'made');
    await make(path);
    chmodSync(path, 0o755);
    const found = await inspect(path);
    if (E.isLeft(found)) return found;
    renameSync(path, kept);
    return await inspect(kept);
  } catch (thrown) {
    signal.throwIfAborted();
    return E.left(folder === undefined ? `cannot write to ${dirname(kept)}: ${lineOf(thrown)}` : lineOf(thrown));
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
};

const BUILD = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags'];

/** The command built from its pinned module, then kept. Takes minutes, once. */
export const buildGoTool = async <A>(
  tool: GoTool<A>,
  env: Environment,
  ground: Ground,
): Promise<E.Either<string, A>> => {
  const go = onPath('go', env);
  if (go === undefined) return E.left('there is no go on PATH');
  const version = await outputOf(go, ['env', 'GOVERSION'], env).then((text) => text.trim(), lineOf);
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  if (!(Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 26))) return E.left(`${go} is ${version}`);
  const doing = [tool.module, `building ${tool.title} ${tool.version} with ${version} (some minutes, once)`] as const;
  return keepTool(tool, ground, async (path) => {
    const log = join(dirname(path), 'build.log');
    const args = [...BUILD, `-s -w ${tool.linkFlags}`.trim(), '-o', path, tool.package];
    const folder = join(projectRoot, 'tools', tool.module);
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

/** A command that reports its version by `-version`. */
export const versionedTool = (
  { name, ...tool }: Omit<GoTool<string>, 'title' | 'kept' | 'inspect'> & { readonly name: string },
  env: Environment,
): GoTool<string> => ({
  ...tool,
  title: name,
  kept: keptTool(name, tool.version, env),
  inspect: async (path) => {
    if (!isExecutable(path)) return E.left(`${path} is not an executable file`);
    const version = await outputOf(path, ['-version'], env).catch(lineOf);
    return version.includes(tool.version) ? E.right(path) : E.left(`${path} is ${version.trim()}`);
  },
});

/** The command kept from before, or built with Go. Errors: a fault when neither way serves. */
export const findGoTool = async (tool: GoTool<string>, env: Environment, ground: Ground): Promise<string> => {
  const { way, value } = await firstWay(`${tool.title} ${tool.version}`, [
    { name: 'kept from before', find: () => tool.inspect(tool.kept) },
    { name: `build with Go 1.26 or newer from tools/${tool.module}`, find: () => buildGoTool(tool, env, ground) },
  ]);
  ground.report(tool.module, `${value} (${way})`);
  return value;
};
