import type { CommandLine } from '../../../dev/stack/service';
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { startChild, type Child } from '../../../dev/stack/child';
import { reportedFault } from '../../../dev/stack/report';
import type { Ground } from '../../../dev/stack/ground';
import { outputOf } from '../../../dev/stack/environment';

/** A machine of the cluster: a network namespace and a mount namespace of its own, behind one interface, `eth0`. */
export interface Host {
  readonly name: string;
  readonly address: string;
  /** `line` so that it runs on this host. The process keeps its id. */
  readonly on: (line: CommandLine) => CommandLine;
  /** Runs a command on this host to its end and gives its output. Errors: anything but exit code 0 within 20 s. */
  readonly run: (command: string, ...args: ReadonlyArray<string>) => Promise<string>;
  /** The processes that run on this host now. */
  readonly processes: () => ReadonlyArray<number>;
}

/** Hosts on one switch. This machine is on it as well, at `address`. */
export interface Network {
  readonly address: string;
  /** `a.b.c.0/24` of all hosts. */
  readonly subnet: string;
  readonly addHost: (name: string) => Promise<Host>;
  /** Takes the hosts away, once nothing runs on them any more. */
  readonly remove: () => Promise<void>;
}

/**
 * Makes a network of hosts. Only root may.
 *
 * Nothing of it has a name in the system: a namespace lives as long as a process in it, and an interface as long as the
 * namespace at either end. So what is watched dies with us, and leaves nothing behind.
 */
export const createNetwork = async (folder: string, ground: Ground): Promise<Network> => {
  const holders: Child[] = [];
  const hold = async (name: string): Promise<Child> => {
    const line = { command: 'unshare', args: ['--net', '--mount', '--propagation', 'private', 'sleep', 'infinity'] };
    const log = join(folder, `${name}.log`);
    const holder = await startChild({ name, ...line, folder, env: process.env, log }, ground.watchdog);
    holders.push(holder);
    await untilApart(holder);
    return holder;
  };
  const prefix = await freePrefix();
  const name = `pas${Math.random().toString(16).slice(2, 10)}`;
  const network = await hold('switch');
  const onSwitch = onHost(network.pid);
  await run(onSwitch, 'ip', 'link', 'add', 'switch', 'type', 'bridge');
  await run(onSwitch, 'ip', 'link', 'set', 'switch', 'up');
  const plug = async (to: string, place: ReadonlyArray<string>): Promise<void> => {
    const port = `to-${to}`;
    await run(here, 'ip', 'link', 'add', ...place, 'type', 'veth', 'peer', 'name', port, 'netns', String(network.pid));
    await run(onSwitch, 'ip', 'link', 'set', port, 'master', 'switch', 'up');
  };
  await plug('here', [name]);
  await run(here, 'ip', 'address', 'add', `${prefix}.1/24`, 'dev', name);
  await run(here, 'ip', 'link', 'set', name, 'up');
  let hosts = 0;
  return {
    address: `${prefix}.1`,
    subnet: `${prefix}.0/24`,
    addHost: async (host) => {
      hosts += 1;
      const address = `${prefix}.${hosts + 1}`;
      const { pid } = await hold(`host-${host}`);
      const on = onHost(pid);
      await plug(String(hosts), ['eth0', 'netns', String(pid)]);
      await run(on, 'ip', 'address', 'add', `${address}/24`, 'dev', 'eth0');
      for (const one of ['lo', 'eth0']) await run(on, 'ip', 'link', 'set', one, 'up');
      const processes = (): ReadonlyArray<number> => processesIn(namespaceOf(pid)).filter((other) => other !== pid);
      return { name: host, address, on, run: (command, ...args) => run(on, command, ...args), processes };
    },
    remove: async () => {
      await Promise.all(holders.map((holder) => holder.stop(2_000)));
      // The system takes our interface away by itself, a moment later.
      await run(here, 'ip', 'link', 'delete', name).catch(() => undefined);
    },
  };
};

type On = Host['on'];

const here: On = (line) => line;

const onHost =
  (pid: number): On =>
  ({ command, args }) => ({
    command: 'nsenter',
    args: ['--target', String(pid), '--net', '--mount', `--wd=${process.cwd()}`, command, ...args],
  });

const run = (on: On, command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const line = on({ command, args });
  return outputOf(line.command, line.args, process.env);
};

/** Three numbers of a private network that this machine is not in. */
const freePrefix = async (): Promise<string> => {
  const taken = await run(here, 'ip', '-o', '-4', 'address');
  for (;;) {
    const prefix = `10.${64 + Math.floor(Math.random() * 64)}.${Math.floor(Math.random() * 256)}`;
    if (!taken.includes(` ${prefix}.`)) return prefix;
  }
};

const untilApart = async (holder: Child): Promise<void> => {
  const ours = namespaceOf(process.pid);
  while (namespaceOf(holder.pid) === ours) {
    if (!holder.isRunning()) throw reportedFault(`${holder.name}: no network namespace: ${holder.tail().trim()}`);
    await delay(5);
  }
};

const namespaceOf = (pid: number | string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
};

const processesIn = (namespace: string | undefined): ReadonlyArray<number> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespaceOf(name) === namespace)
    .map(Number);
