import { IMAGE_PATH, runEngine, succeeds, type Container, type ContainerEngine, type ImageConfig } from './engine';

/** Flags that a machine may need for its containers: those before the subcommand, and those of `run`. */
export interface Flags {
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
export const cliEngine = ({ command, always, buildFlags, ways }: CliOptions): ContainerEngine => {
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
