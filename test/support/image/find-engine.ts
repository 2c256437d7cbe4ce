import { onPath } from '../../../stack/run-command';
import { buildahEngine } from './buildah-engine';
import { cliEngine, type Flags } from './cli-engine';
import { succeeds, type ContainerEngine } from './engine';

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
