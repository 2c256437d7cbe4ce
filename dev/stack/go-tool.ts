import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { runChild } from './child';
import { setting, type Environment, onPath, outputOf } from './environment';
import { lineOf, withProgress } from './report';
import { rejectSource, type CommandSource } from './find-commands';
import type { Ground } from './ground';
import { projectRoot } from './project-root';

export interface FoundCommand {
  readonly path: string;
  readonly version: string;
}

/** A command that is built from a pinned Go module in `dev/tools/`, and kept in the user's cache folder. */
export interface GoTool {
  /** Its name in reports. In lower case, it is also the beginning of the kept file's name. */
  readonly title: string;
  readonly version: string;
  /** The name of the folder in `dev/tools/` that has its go.mod. */
  readonly module: string;
  readonly package: string;
  readonly linkFlags: string;
  /** Checks the command at `path`. Errors: why it cannot be used. */
  readonly inspect: (path: string, env: Environment) => Promise<FoundCommand>;
}

/** This project's folder in the user's cache folder. */
export const cacheFolder = (env: Environment): string =>
  resolve(setting(env, 'XDG_CACHE_HOME') ?? join(setting(env, 'HOME') ?? homedir(), '.cache'), 'point-alarm-service');

export const cachedToolPath = ({ title, version }: GoTool, env: Environment): string =>
  join(cacheFolder(env), `${title.toLowerCase()}-${version}-${process.platform}-${process.arch}`);

/**
 * Has `make` write a command to a new folder beside the kept file, checks it, and renames it into place. So two processes at
 * once do each other no harm, and nobody finds half a file.
 */
export const cacheTool = async (
  tool: GoTool,
  env: Environment,
  { watchdog }: Ground,
  make: (path: string) => Promise<void>,
): Promise<FoundCommand> => {
  const kept = cachedToolPath(tool, env);
  const folder = newFolderBeside(kept);
  watchdog.remove(folder);
  try {
    const path = join(folder, 'made');
    await make(path);
    chmodSync(path, 0o755);
    const found = await tool.inspect(path, env);
    renameSync(path, kept);
    return { ...found, path: kept };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const newFolderBeside = (file: string): string => {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return mkdtempSync(join(dirname(file), `.${basename(file)}-`));
  } catch (thrown) {
    return rejectSource(`cannot write to ${dirname(file)}: ${lineOf(thrown)}`);
  }
};

/** Whether the version in `found` is `major`.`minor` or later. */
export const isAtLeast = (major: number, minor: number, found: RegExpExecArray | null): boolean => {
  const [foundMajor, foundMinor] = [Number(found?.[1] ?? -1), Number(found?.[2] ?? -1)];
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
};

const BUILD = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags'];

export const cachedSource = (tool: GoTool, env: Environment): CommandSource<FoundCommand> => ({
  name: 'kept from before',
  find: () => tool.inspect(cachedToolPath(tool, env), env),
});

/** A way that builds the tool from its pinned module and keeps it. The build takes minutes, but only once. */
export const buildSource = (tool: GoTool, env: Environment, ground: Ground): CommandSource<FoundCommand> => ({
  name: `build with Go 1.26 or newer from dev/tools/${tool.module}`,
  find: async () => {
    const go = onPath('go', env) ?? rejectSource('there is no go on PATH');
    const version = await outputOf(go, ['env', 'GOVERSION'], env).then((text) => text.trim(), lineOf);
    if (!isAtLeast(1, 26, /^go(\d+)\.(\d+)/.exec(version))) rejectSource(`${go} is ${version}`);
    const doing = `building ${tool.title} ${tool.version} with ${version} (some minutes, once)`;
    return cacheTool(tool, env, ground, async (path) => {
      const log = join(dirname(path), 'build.log');
      const args = [...BUILD, `-s -w ${tool.linkFlags}`.trim(), '-o', path, tool.package];
      const folder = join(projectRoot, 'dev/tools', tool.module);
      const plan = { name: 'go build', command: go, args, folder, env: { ...env, GOWORK: 'off' }, log };
      const build = (): Promise<void> => runChild(plan, ground);
      await withProgress(ground.report, [tool.module, doing], build, () => stageIn(log));
    });
  },
});

/** How far the build is: `go build -v` writes a line for each module that it fetches and each package that it compiles. */
const stageIn = (log: string): string => {
  const lines = readFileSync(log, 'utf8').split('\n');
  const fetched = lines.filter((line) => line.startsWith('go: downloading')).length;
  const compiled = lines.length - 1 - fetched;
  return `, ${fetched > 0 ? `${fetched} modules fetched, ` : ''}${compiled} packages compiled`;
};
