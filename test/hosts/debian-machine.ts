import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startChild, type Child } from '../../dev/stack/child';
import type { Ground } from '../../dev/stack/ground';
import { waitUntil } from '../../dev/stack/running';
import type { Host } from '../cluster/hosts/network';

/** A host with a Debian of its own: this machine's files, copied when they are written to, and a systemd that runs nothing of ours yet. */
export interface DebianMachine {
  readonly host: Host;
  /** Runs a script as root and gives its output. Errors: its exit code, and what it wrote. */
  readonly sh: (script: string) => Promise<string>;
  /** A file with the id of its first process, in the namespaces of which its commands run. */
  readonly initFile: string;
  /** Cuts its power: nothing of it runs any more, its files stay as they are. */
  readonly kill: () => Promise<void>;
  readonly boot: () => Promise<void>;
  /** Takes its power and its disks, and boots one that is new, at the same address. */
  readonly renew: () => Promise<void>;
}

const BOOTED_WITHIN_MS = 60_000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Machines that share a control group end each other's units. A name, and a command that runs in a group of this name, in the
 * hierarchy that its systemd takes.
 */
const IN_OWN_GROUP = `
for tree in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
  [ -e $tree/cgroup.procs ] || continue
  mkdir -p $tree/$0
  echo $$ > $tree/$0/cgroup.procs
done
exec "$@"`;
const REMOVE_GROUP = 'find /sys/fs/cgroup/*/$0 /sys/fs/cgroup/$0 -depth -type d -exec rmdir {} + 2>/dev/null || true';

/**
 * Boots a Debian on `host`, by systemd-nspawn. The services that this machine has begin there only when they are enabled, as on a
 * host on which their packages were just installed. Errors: a fault, with what the machine said.
 */
export const bootDebian = async (host: Host, folder: string, ground: Ground): Promise<DebianMachine> => {
  let disks = 0;
  /** Makes a new disk; its root. */
  const install = async (): Promise<string> => {
    disks += 1;
    const parts = ['upper', 'work', 'root'].map((name) => join(folder, `${host.name}-disk-${disks}`, name));
    const [upper = '', work = '', merged = ''] = parts;
    await host.run('mkdir', '-p', ...parts);
    await host.run(
      'mount',
      '-t',
      'overlay',
      'overlay',
      '-o',
      `lowerdir=/,upperdir=${upper},workdir=${work},redirect_dir=on`,
      merged,
    );
    const absent = ['etc/systemd/system/*.wants', 'etc/nftables.conf', 'root/point-alarm'];
    await host.run('sh', '-c', `cd ${merged} && rm -rf ${absent.join(' ')}`);
    await host.run('sh', '-c', `cd ${merged} && : > etc/machine-id && echo ${host.name} > etc/hostname`);
    return merged;
  };
  let root = await install();
  const group = `${basename(folder)}-${host.name}`;
  const line = () =>
    host.on({
      command: 'sh',
      args: [
        ...['-euc', IN_OWN_GROUP, group, 'systemd-nspawn', '--quiet', '--boot', '--register=no', '--keep-unit'],
        ...['--console=pipe', '--link-journal=no'],
        ...['--resolv-conf=off', '--timezone=off', '--capability=CAP_NET_ADMIN', `--machine=${host.name}`],
        `--directory=${root}`,
      ],
    });
  const [log, initFile] = [join(folder, `${host.name}.log`), join(folder, `${host.name}.init`)];
  let nspawn: Child | undefined;
  let init = 0;
  const sh = (script: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const args = ['--target', String(init), '--all', 'env', '-i', `PATH=${PATH}`, 'HOME=/root', 'LANG=C.UTF-8'];
      const inFolder = `mkdir -p ~/point-alarm; cd ~/point-alarm; ${script}`;
      const child = execFile('nsenter', [...args, 'bash', '-eu', '-c', inFolder], (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(`${host.name}: ${String(error.code ?? error.signal)}: ${script}\n${stdout}\n${stderr}`));
      });
      child.stdin?.end();
    });
  const boot = async (): Promise<void> => {
    nspawn = await startChild({ name: host.name, ...line(), folder, env: process.env, log }, ground.watchdog);
    const isUp = async (): Promise<void> => {
      init = firstProcessOf(nspawn?.pid ?? 0);
      writeFileSync(initFile, String(init));
      ground.watchdog.watch(init);
      const state = await sh('systemctl is-system-running || true');
      if (state !== 'running' && state !== 'degraded') throw new Error(`${host.name} is ${state}`);
    };
    await waitUntil(isUp, { what: host.name, deadlineMs: BOOTED_WITHIN_MS, signal: ground.signal, child: nspawn });
  };
  const kill = async (): Promise<void> => {
    // With the first process of its namespace all others end.
    if (nspawn?.isRunning() === true) process.kill(firstProcessOf(nspawn.pid), 'SIGKILL');
    ground.watchdog.release(init);
    await nspawn?.exited;
    await host.run('sh', '-c', REMOVE_GROUP, group).catch(() => undefined); // it is empty, and harms nobody
  };
  await boot();
  return {
    host,
    sh,
    initFile,
    kill,
    boot,
    renew: async () => {
      await kill();
      await host.run('umount', root); // what was on the disk goes with the folder of the test
      root = await install();
      await boot();
    },
  };
};

/** The first process of the machine that `nspawn` runs. Errors: there is none yet. */
const firstProcessOf = (nspawn: number): number => {
  const file = `/proc/${nspawn}/task/${nspawn}/children`;
  const [first] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
  if (first === undefined || first === 0) throw new Error('it has not begun');
  return first;
};
