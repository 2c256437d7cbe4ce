import { spawnSync } from 'node:child_process';

/** What a build of the Dockerfile is given, and the name that its image gets. */
export interface Build {
  readonly folder: string;
  readonly baseImage: string;
  readonly tag: string;
}

/** What a container is given. Nothing else is set or mounted; its root is read-only and it has no capability. */
export interface Container {
  readonly tag: string;
  /** Absent: that of the image. */
  readonly command?: ReadonlyArray<string>;
  readonly environment: Readonly<Record<string, string>>;
  /** A folder that the container sees as /app/config, read-only. */
  readonly config?: string;
}

export interface CommandLine {
  readonly command: string;
  readonly args: ReadonlyArray<string>;
}

/** What an image says of its processes. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: ReadonlyArray<string>;
  readonly WorkingDir: string;
  readonly Cmd: ReadonlyArray<string>;
}

export interface ContainerEngine {
  readonly name: string;
  /** Whether the image is here, or could be had from its registry. */
  readonly pull: (image: string) => boolean;
  /** Makes an image of a root file system. */
  readonly importRoot: (tarFile: string, tag: string) => void;
  readonly build: (build: Build) => void;
  readonly configOf: (tag: string) => ImageConfig;
  /** With the layers that it shares with others. */
  readonly megabytesOf: (tag: string) => number;
  /** A command that runs a container in the foreground, takes SIGTERM for it and ends with its exit code. */
  readonly run: (container: Container) => CommandLine;
  /** Removes the image, and what was made on the way. */
  readonly remove: (tag: string) => void;
}

/** Where an image made of a root file system finds commands. */
export const IMAGE_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What a command of an engine writes. Errors: an exit code, with its last lines. */
export const runEngine = (command: string, args: ReadonlyArray<string>): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${`${stdout}\n${stderr}`.slice(-4_000)}`);
  return stdout.trim();
};

/** Whether a command of an engine ends well within a minute. */
export const succeeds = (command: string, args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;
