import * as E from 'fp-ts/Either';
import type { Environment } from './environment';
import { lineOf } from './fault';
import { keptTool } from './go-tool';
import { isExecutable, outputOf } from './run-command';

/** A Temporal command that is new enough. */
export interface TemporalCommand {
  readonly path: string;
  /** The output of `--version`: `1.8.2 (Server 1.31.2, UI 2.50.1)`. */
  readonly version: string;
}

/** The version that is kept, downloaded or built; `tools/temporal/go.mod` pins the same. */
export const PINNED_VERSION = '1.8.2';

/** Where the kept command lies, for this user and machine. */
export const keptPath = (env: Environment): string => keptTool('temporal', PINNED_VERSION, env);

/** Asks the command at `path` for its version; left is why it does not serve. */
export const inspectTemporal = async (path: string, env: Environment): Promise<E.Either<string, TemporalCommand>> => {
  if (!isExecutable(path)) return E.left(`${path} is not an executable file`);
  try {
    const version = versionIn(await outputOf(path, ['--version'], env));
    if (version === undefined) return E.left(`${path} reports no version`);
    return isNewEnough(version) ? E.right({ path, version }) : E.left(`${path} is ${version}, 1.8 or newer is needed`);
  } catch (thrown) {
    return E.left(lineOf(thrown));
  }
};

const versionIn = (output: string): string | undefined => /temporal version (.+)/.exec(output)?.[1]?.trim();

/** 1.8 or newer, or a server of 1.31 or newer: what is built without a release's flags calls itself 0.0.0-DEV. */
const isNewEnough = (version: string): boolean =>
  isAtLeast(1, 8, /^v?(\d+)\.(\d+)/.exec(version)) || isAtLeast(1, 31, /Server (\d+)\.(\d+)/.exec(version));

const isAtLeast = (major: number, minor: number, match: RegExpExecArray | null): boolean => {
  const [haveMajor, haveMinor] = [Number(match?.[1] ?? -1), Number(match?.[2] ?? -1)];
  return haveMajor > major || (haveMajor === major && haveMinor >= minor);
};
