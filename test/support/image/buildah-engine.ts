import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGE_PATH, runEngine, succeeds, type ContainerEngine, type ImageConfig } from './engine';

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
export const buildahEngine = (always: ReadonlyArray<string>): ContainerEngine => {
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
