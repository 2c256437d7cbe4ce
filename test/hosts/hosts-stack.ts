import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../dev/stack/environment';
import { developmentGrants, developmentKey, ISSUER } from '../../dev/stack/dev-auth';
import type { CalledStack } from '../chaos/stack/stack';
import { tokenSigner } from '../chaos/stack/token-signer';
import { createNetwork } from '../cluster/hosts/network';
import { copyProject } from '../e2e/checkout';
import { shell } from '../support/documents/tier-commands';
import { openGround } from '../support/ground';
import { bootDebian, type DebianMachine } from './debian-machine';
import { blocksOf, type HostBlock } from './page-blocks';

/** Six Debian machines, set up by the page about hosts, and the machine of who works on them: this one. */
export interface HostsStack extends CalledStack {
  /** A machine by its address on the page. */
  readonly machine: (address: string) => DebianMachine;
  /** The address of a machine here, in place of that on the page. */
  readonly addressOf: (address: string) => string;
  /** Runs a block of a page where it says, and gives what it printed; `before`: what was defined by then. */
  readonly run: (block: HostBlock, before?: string) => Promise<string>;
  /** Boots one more machine, and follows these sections of the page on it. */
  readonly add: (headings: ReadonlyArray<string>) => Promise<void>;
  /** Puts an empty machine in the place of one that is lost, and follows the page for it again. */
  readonly replace: (address: string) => Promise<void>;
  /** Sets a setting in the file from which the page installs it. */
  readonly setInCheckout: (name: string, value: string) => void;
  /** The next release in the folder of who works on the hosts. */
  readonly checkOutNextRelease: () => void;
}

const PAGE = 'docs/deployment-hosts.md';
/** What the page's addresses begin with. */
const PREFIX = '10.0.0.';
const MACHINES = 6;

/** The page up to where all of it runs. */
const setUp = (): ReadonlyArray<HostBlock> => {
  const after = [
    '## Restart one host at a time',
    '## Change a setting',
    '## Add a machine',
    '## Change passwords, keys and certificates',
  ];
  return blocksOf(PAGE).slice(0, -after.flatMap((heading) => blocksOf(PAGE, heading)).length);
};
/** What copies to each host what it needs. */
const copies = (): ReadonlyArray<HostBlock> => blocksOf(PAGE, '## Build and pack').slice(1);
/** What is done once for all hosts, not again on a new one. */
const ONCE = /set-up-|workflow count/u;

/** What must be installed here: the machines are copies of this one. */
const COMMANDS: Readonly<Record<string, string>> = {
  'systemd-nspawn': 'systemd-container',
  nft: 'nftables',
  haproxy: 'haproxy',
  socat: 'socat',
  'redis-server': 'redis-server',
  'redis-sentinel': 'redis-sentinel',
  pg_ctlcluster: 'postgresql',
  go: 'Go 1.26',
};

/** Boots the machines and follows the page. Everything goes when it is stopped, or when this process dies. */
export const startHosts = async (): Promise<HostsStack> => {
  const missing = Object.entries(COMMANDS).flatMap(([command, by]) =>
    onPath(command, { PATH: `${process.env['PATH']}:/usr/sbin:/sbin` }) === undefined ? [by] : [],
  );
  if (missing.length > 0) throw new Error(`npm run test:hosts needs ${missing.join(', ')}, and root`);
  const ground = openGround('hosts', process.env['CHAOS_KEEP'] !== undefined);
  const { folder } = ground;
  const network = await createNetwork(folder, ground);
  const prefix = network.address.replace(/\d+$/u, '');
  const machines = new Map<string, DebianMachine>();
  const add = async (): Promise<void> => {
    const host = await network.addHost(`host-${machines.size + 2}`);
    machines.set(host.address, await bootDebian(host, folder, ground));
  };
  while (machines.size < MACHINES) await add();
  const ours = (text: string): string => text.replaceAll(PREFIX, prefix);
  const machine = (address: string): DebianMachine => {
    const found = machines.get(ours(address));
    if (found === undefined) throw new Error(`the page names no machine ${address}`);
    return found;
  };
  const { folder: checkout, remove } = copyProject();
  const git = (args: ReadonlyArray<string>): unknown => execFileSync('git', args, { cwd: checkout });
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...AS_SOMEBODY, 'commit', '-qm', 'the release'],
  ])
    git(args);
  const keys = join(folder, 'dev-auth');
  const { jwksFile } = await developmentKey(keys);
  const signToken = await tokenSigner(keys);
  const bin = join(folder, 'bin');
  writeRemoteCommands(bin, machines);
  const env = { PATH: `${bin}:${process.env['PATH']}`, TOKEN: await signToken('operator') };
  const run = async ({ hosts, script }: HostBlock, before = ''): Promise<string> => {
    const printed: string[] = [];
    for (const address of hosts) {
      const all = ours(`${before}\n${script}`);
      if (address === `${PREFIX}1`) printed.push(await shell(all, { cwd: checkout, env }));
      else printed.push(await machine(address).sh(all));
    }
    return printed.join('\n');
  };
  const deploy = join(checkout, 'deploy/hosts');
  // What the page asks to be put in: the issuer of the tokens, and who may do what.
  cpSync(jwksFile, join(deploy, 'jwks.json'));
  cpSync(developmentGrants(keys), join(deploy, 'grants.json'));
  const settings = join(deploy, 'service.env');
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('https://identity.example', ISSUER));
  const stop = async (): Promise<void> => {
    await Promise.all([...machines.values()].map(({ kill }) => kill()));
    await network.remove();
    remove();
    await ground.close();
  };
  try {
    for (const block of setUp()) {
      console.log(`on ${block.hosts.join(', ')}: ${block.script.split('\n')[0]}`);
      await run(block);
    }
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  const secrets = join(checkout, 'secrets');
  const passwordOfNow = (): string =>
    /REDIS_PASSWORD=(\w+)/u.exec(readFileSync(join(secrets, 'redis.env'), 'utf8'))?.[1] ?? '';
  const sentinels = ['3', '6', '7'].map((last) => ({ host: prefix + last, port: 26_379 }));
  const url = `https://${prefix}3`;
  /** What callers trust now. */
  const authority = (): string => readFileSync(join(secrets, 'ca.pem'), 'utf8');
  return {
    apis: [{ url }, { url }],
    /** It changes with the authority. */
    get ca() {
      return authority();
    },
    get redisSettings() {
      const password = passwordOfNow();
      return {
        url: `rediss://:${password}@by-sentinel`,
        tls: { ca: authority() },
        sentinels: { addresses: sentinels, master: 'point-alarm', password },
      };
    },
    stream: 'point-alarm-events',
    folder,
    signToken,
    machine,
    addressOf: ours,
    run,
    add: async (headings) => {
      await add();
      writeRemoteCommands(bin, machines);
      for (const block of blocksOf(PAGE, '## Add a machine')) await run(block);
      for (const block of copies()) await run(block);
      const own = headings.flatMap((heading) => blocksOf(PAGE, heading));
      for (const block of own) await run({ ...block, hosts: [`${PREFIX}${machines.size + 1}`] });
    },
    replace: async (address) => {
      await machine(address).renew();
      const own = setUp().filter(({ hosts }) => hosts.includes(address));
      for (const block of copies()) await run(block);
      for (const block of own) if (!ONCE.test(block.script)) await run({ ...block, hosts: [address] });
    },
    setInCheckout: (name, value) =>
      writeFileSync(
        settings,
        readFileSync(settings, 'utf8').replace(new RegExp(`^${name}=.*`, 'mu'), `${name}=${value}`),
      ),
    checkOutNextRelease: () => void git([...AS_SOMEBODY, 'commit', '--allow-empty', '-qm', 'the next release']),
    stop,
  };
};

const AS_SOMEBODY = ['-c', 'user.name=operator', '-c', 'user.email=operator@example.com'];

/** `ssh root@ADDRESS COMMAND` and `scp FILE... root@ADDRESS:PLACE`, as they work where keys are in place: the machines run no sshd. */
const writeRemoteCommands = (bin: string, machines: ReadonlyMap<string, DebianMachine>): void => {
  mkdirSync(bin, { recursive: true });
  const processes = [...machines].map(([address, { initFile }]) => `${address}) cat ${initFile} ;;`).join('\n');
  const enter = `init_of() { case $1 in\n${processes}\n*) echo "no machine $1" >&2; exit 1 ;; esac; }
on() { host=\${1#root@}; shift; nsenter --target "$(init_of "$host")" --all env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin HOME=/root sh -c "cd /root; $*"; }`;
  const commands = {
    ssh: `[ "$1" != -o ] || shift 2
on "$@"`,
    scp: `[ "$1" != -r ] || shift
for to; do :; done
place=\${to#*:}
for file; do
  [ "$file" != "$to" ] || continue
  case $place in */|'') into=$place$(basename "$file") ;; *) into=$place ;; esac
  on "\${to%%:*}" "cat > $into" < "$file"
done`,
  };
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/bash\nset -eu\n${enter}\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
};
