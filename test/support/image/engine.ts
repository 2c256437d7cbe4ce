import { spawnSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../../stack/environment';

/**
 * Mounts what a container has besides its image, makes its root read-only, and becomes its process: in a mount namespace
 * of its own, as the image's user, without a capability. The first argument is the root, the second the folder of
 * configuration or nothing, then user, group and working directory.
 */
const ENTER = `set -eu
root=$1 config=$2 user=$3 group=$4 folder=$5
shift 5
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
if [ -n "$config" ]; then mount --bind "$config" "$root/app/config"; mount -o remount,bind,ro "$root/app/config"; fi
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot "$root" setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --inh-caps=-all \\
  --bounding-set=-all env -i --chdir="$folder" "$@"`;

/** buildah as root, where there is no engine that runs containers: it builds in a chroot, and so are the processes run. */
const buildahEngine = (always: ReadonlyArray<string>): ContainerEngine => {
  const buildah = (...args: ReadonlyArray<string>): string => runEngine('buildah', [...always, ...args]);
  const configOf = (tag: string): ImageConfig => {
    const { OCIv1 }: { readonly OCIv1: { readonly config: ImageConfig } } = JSON.parse(
      buildah('inspect', '--type', 'image', tag),
    );
    return OCIv1.config;
  };
  return {
    name: 'buildah',
    pull: (image) => succeeds('buildah', [...always, 'pull', '--quiet', image]),
    importRoot: (tarFile, tag) => {
      const container = buildah('from', 'scratch');
      buildah('add', '--quiet', container, tarFile, '/');
      buildah('config', '--env', IMAGE_PATH, container);
      buildah('commit', '--quiet', '--rm', container, tag);
    },
    build: ({ folder, baseImage, tag }) =>
      void buildah('build', '--isolation', 'chroot', '--build-arg', `BASE_IMAGE=${baseImage}`, '--tag', tag, folder),
    configOf,
    megabytesOf: (tag) => {
      const said = buildah('images', '--format', '{{.Size}}', tag);
      const [, number, unit] = /^([\d.]+) (MB|GB)$/u.exec(said) ?? [];
      if (number === undefined) throw new Error(`buildah reports the size of ${tag} as ${said}`);
      return Number(number) * (unit === 'GB' ? 1_000 : 1);
    },
    run: ({ tag, command, environment, config = '' }) => {
      const image = configOf(tag);
      const root = buildah('mount', buildah('from', '--pull-never', tag));
      if (config !== '') mkdirSync(join(root, 'app/config'));
      const [user = '', group = ''] = image.User.split(':');
      const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
      const entered = [root, config, user, group, image.WorkingDir, ...image.Env, ...set, ...(command ?? image.Cmd)];
      return { command: 'unshare', args: ['--mount', 'sh', '-c', ENTER, 'enter', ...entered] };
    },
    remove: () => {
      buildah('rm', '--all');
      buildah('rmi', '--all', '--force');
    },
  };
};

/** Flags that a machine may need for its containers: those before the subcommand, and those of `run`. */
interface Flags {
  readonly before: ReadonlyArray<string>;
  readonly run: ReadonlyArray<string>;
}

interface CliOptions {
  readonly command: 'docker' | 'podman';
  /** Before every subcommand. */
  readonly always: ReadonlyArray<string>;
  readonly buildFlags: ReadonlyArray<string>;
  /** Ways to run a container, tried in turn. */
  readonly ways: ReadonlyArray<Flags>;
}

/** Docker or Podman, by the commands that they share. */
const cliEngine = ({ command, always, buildFlags, ways }: CliOptions): ContainerEngine => {
  const engine = (...args: ReadonlyArray<string>): string => runEngine(command, [...always, ...args]);
  const inspected = (tag: string, format: string): string => engine('image', 'inspect', '--format', format, tag);
  const lineOf = ({ before, run }: Flags, container: Container): ReadonlyArray<string> => [
    ...always,
    ...before,
    ...['run', '--rm', '--network', 'host', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', ...run],
    ...Object.entries(container.environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...(container.config === undefined ? [] : ['--volume', `${container.config}:/app/config:ro`]),
    container.tag,
    ...(container.command ?? []),
  ];
  let working: Flags | undefined;
  return {
    name: command,
    pull: (image) => succeeds(command, [...always, 'pull', '--quiet', image]),
    importRoot: (tarFile, tag) => void engine('import', '--change', `ENV ${IMAGE_PATH}`, tarFile, tag),
    build: ({ folder, baseImage, tag }) =>
      void engine('build', ...buildFlags, '--build-arg', `BASE_IMAGE=${baseImage}`, '--tag', tag, folder),
    configOf: (tag) => JSON.parse(inspected(tag, '{{json .Config}}')) as ImageConfig,
    megabytesOf: (tag) => Math.round(Number(inspected(tag, '{{.Size}}')) / 1e6),
    run: (container) => {
      const trial = { tag: container.tag, command: ['node', '--version'], environment: {} };
      working ??= ways.find((flags) => succeeds(command, lineOf(flags, trial)));
      if (working === undefined) throw new Error(`${command} cannot run a container on this machine`);
      return { command, args: lineOf(working, container) };
    },
    remove: (tag) => void engine('rmi', '--force', tag),
  };
};

const plain: Flags = { before: [], run: [] };
/** For a machine with control groups of version 1, and one that may not raise its limits. */
const modest: Flags = {
  before: ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
  run: ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
};

/**
 * What builds and runs containers on this machine: docker, podman, else buildah as root. What podman and buildah make lies
 * in `folder`. `wanted` names one of them, where another than the first is to be tried.
 *
 * Errors: there is none.
 */
export const findEngine = (folder: string, wanted: string | undefined): ContainerEngine => {
  const isHere = (name: string): boolean =>
    (wanted === undefined || wanted === name) && onPath(name, process.env) !== undefined;
  if (isHere('docker') && succeeds('docker', ['info']))
    return cliEngine({ command: 'docker', always: [], buildFlags: [], ways: [plain] });
  const always = ['--root', `${folder}/storage`, '--runroot', `${folder}/run`];
  if (isHere('podman'))
    return cliEngine({ command: 'podman', always, buildFlags: ['--isolation', 'chroot'], ways: [plain, modest] });
  if (isHere('buildah')) return buildahEngine(always);
  throw new Error('there is no docker that answers, no podman and no buildah: on Debian, apt-get install buildah');
};

/** A container that runs in the foreground. */
export interface RunningContainer {
  /** What it wrote so far. */
  readonly said: () => string;
  /** SIGTERM; its exit code, once it has ended. */
  readonly stop: () => Promise<number | null>;
  /** Its exit code, once it has ended by itself. */
  readonly exited: Promise<number | null>;
}

export const startContainer = ({ command, args }: CommandLine): RunningContainer => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  return {
    said: () => said,
    exited,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
};

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
