import type { Host } from './hosts/network';
import { type Running, waitUntil } from '../../dev/stack/running';
import type { Watchdog } from '../../dev/stack/ground';
import { eventually } from '../chaos/probe';

/** A host that may be hurt as a whole, with all that runs on it. */
export interface Machine extends Pick<Running, 'name' | 'kill' | 'freeze' | 'frozen' | 'thaw'> {
  readonly host: Host;
  /** Nothing comes from it or reaches it; its connections, and those to it, stay open. */
  readonly silence: () => Promise<void>;
  /** So many in a thousand of its packets are lost, in each direction; `peer`: of those to and from there only. */
  readonly lose: (perMille: number, peer?: Host) => Promise<void>;
  /** Its connections to `port` of `peer` go silent, both sides keeping them open; new ones work. How many they were. */
  readonly silenceConnections: (peer: Host, port: number) => Promise<number>;
  /** Undoes what was done to its packets. */
  readonly restore: () => Promise<void>;
}

const GONE_WITHIN_MS = 10_000;

export const machine = (host: Host, watchdog: Watchdog): Machine => {
  let frozen = 0;
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of host.processes()) {
      // PostgreSQL's processes are groups of their own: a frozen one would outlive us.
      if (name === 'SIGSTOP') watchdog.watch(pid);
      sendSignal(pid, name);
    }
  };
  const drop = (incoming: string, outgoing: string): Promise<string> => {
    const rule = (hook: string, match: string): string =>
      `add chain inet fault ${hook} { type filter hook ${hook} priority 0; }; add rule inet fault ${hook} ${match} drop`;
    return host.run('nft', `add table inet fault; ${rule('input', incoming)}; ${rule('output', outgoing)}`);
  };
  return {
    name: host.name,
    host,
    kill: async () => {
      signal('SIGKILL');
      await eventually(
        () => host.processes().length,
        (count) => count === 0,
        GONE_WITHIN_MS,
      );
    },
    freeze: () => {
      frozen += 1;
      signal('SIGSTOP');
    },
    frozen: () => frozen,
    thaw: () => signal('SIGCONT'),
    silence: async () => void (await drop('iif eth0', 'oif eth0')),
    lose: async (perMille, peer) => {
      const lost = perMille < 1_000 ? `numgen random mod 1000 < ${perMille}` : '';
      if (peer === undefined) await drop(`iif eth0 ${lost}`, `oif eth0 ${lost}`);
      else await drop(`ip saddr ${peer.address} ${lost}`, `ip daddr ${peer.address} ${lost}`);
    },
    silenceConnections: async (peer, port) => {
      const open = await host.run('ss', '-Htn', 'state', 'established', 'dst', `${peer.address}:${port}`);
      const ports = [...open.matchAll(/:(\d+) +\S+:\d+/g)].map(([, local]) => local);
      if (ports.length > 0) await drop(`tcp dport { ${ports.join(', ')} }`, `tcp sport { ${ports.join(', ')} }`);
      return ports.length;
    },
    restore: async () => void (await host.run('nft', 'delete table inet fault')),
  };
};

const sendSignal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
};

const UP_WITHIN_MS = 60_000;

/** Starts again what killed machines ran, as often as a supervisor does: Temporal ends where it finds no database. */
export const startAgain = async (...servers: ReadonlyArray<Running>): Promise<void> => {
  const { signal } = new AbortController();
  const until = { deadlineMs: UP_WITHIN_MS, signal };
  await Promise.all(servers.map((own) => waitUntil(own.restart, { what: own.child().name, ...until })));
};
