import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../chaos/probe';
import { runScenario, type ScenarioPlan, type Setting } from '../chaos/scenario';
import { seed } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { startHosts, type HostsStack } from './hosts-stack';
import { blocksOf } from './page-blocks';

const { stack, tail } = withStackOf(startHosts);

const units: Readonly<Record<string, ReadonlyArray<string>>> = {
  '10.0.0.2': ['postgresql'],
  '10.0.0.3': ['haproxy', 'redis-sentinel'],
  '10.0.0.4': ['temporal'],
  '10.0.0.5': ['temporal'],
  '10.0.0.6': ['point-alarm-api', 'point-alarm-worker', 'redis-server', 'redis-sentinel'],
  '10.0.0.7': ['point-alarm-api', 'point-alarm-worker', 'redis-server', 'redis-sentinel'],
};

/** Whether all that a machine is there for runs, by its systemd. */
const isUp = (address: string): Promise<boolean> =>
  stack()
    .machine(address)
    .sh(`systemctl is-active nftables ${units[address]?.join(' ')}`)
    .then(
      () => true,
      () => false,
    );

const UP_WITHIN_MS = 90_000;
const untilUp = (address: string): Promise<unknown> =>
  eventually(
    () => isUp(address),
    (up) => up,
    UP_WITHIN_MS,
  );

/** Runs the blocks of a section of a page, with the commands of the runbook where they are defined. */
const follow = async (page: string, heading: string): Promise<string> => {
  const [commands] = blocksOf('docs/runbook/README.md', '### Your own hosts');
  let printed = '';
  for (const block of blocksOf(page, heading))
    printed = await stack().run(block, block.hosts.includes('10.0.0.1') ? commands?.script : '');
  return printed;
};

let scenarios = 0;
/** Callers write while `fault` does its work: nothing that was acknowledged is lost, and no event comes twice. */
const underLoad = async (name: string, fault: () => Promise<unknown>, more: Partial<ScenarioPlan<HostsStack>> = {}) => {
  scenarios += 1;
  const worked = async (): Promise<number> => {
    await fault();
    return performance.now();
  };
  const outcome = await runScenario(stack(), tail(), { name, seed: seed + scenarios, ...more, fault: worked });
  expect(outcome.verdict.breaches).toEqual([]);
  expect(outcome.verdict.acknowledged).toBeGreaterThan(100);
  return outcome;
};

test('what the page builds is up', async () => {
  for (const address of Object.keys(units)) expect([address, await isUp(address)]).toEqual([address, true]);
});

/** Whether a connection from the machine at `from` to the place comes about within a second. */
const connects = async (from: string, to: string, port: number): Promise<boolean> => {
  const address = stack().addressOf(to);
  if (from === '10.0.0.1')
    return new Promise((resolve) => {
      const socket = connect({ host: address, port, timeout: 1_000 }, () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('timeout', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  const tried = `timeout 1 bash -c 'exec 3<>/dev/tcp/${address}/${port}' && echo open || echo closed`;
  return (await stack().machine(from).sh(tried)).endsWith('open');
};

test.each<[from: string, to: string, ports: ReadonlyArray<number>, isOpen: boolean]>([
  ['10.0.0.4', '10.0.0.2', [5_432], true],
  ['10.0.0.1', '10.0.0.2', [5_432], false],
  ['10.0.0.3', '10.0.0.2', [5_432], false],
  ['10.0.0.6', '10.0.0.2', [5_432], false],
  ['10.0.0.1', '10.0.0.3', [443, 7_233, 26_379], true],
  ['10.0.0.2', '10.0.0.3', [7_233, 26_379], false],
  ['10.0.0.3', '10.0.0.4', [7_233, 7_243], true],
  ['10.0.0.5', '10.0.0.4', [6_933, 7_234], true],
  ['10.0.0.1', '10.0.0.4', [8_000], true],
  ['10.0.0.6', '10.0.0.4', [8_000], false],
  ['10.0.0.1', '10.0.0.4', [7_233, 7_243, 7_234, 6_933], false],
  ['10.0.0.6', '10.0.0.4', [7_233, 7_234], false],
  ['10.0.0.7', '10.0.0.6', [6_379, 26_379], true],
  ['10.0.0.1', '10.0.0.6', [6_379, 26_379, 3_000, 3_001], true],
  ['10.0.0.3', '10.0.0.6', [3_000, 6_379, 26_379], true],
  ['10.0.0.3', '10.0.0.6', [3_001], false],
  ['10.0.0.4', '10.0.0.6', [6_379, 26_379, 3_000, 3_001], false],
])('from %s to %s ports %j are open: %s', async (from, to, ports, isOpen) => {
  for (const port of ports) expect([port, await connects(from, to, port)]).toEqual([port, isOpen]);
});

/** What a line prints with the commands of the runbook, where they are defined. */
const typed = (script: string): Promise<string> => {
  const [commands] = blocksOf('docs/runbook/README.md', '### Your own hosts');
  return stack().run({ hosts: ['10.0.0.1'], script }, commands?.script);
};

test('the commands of the runbook work: the node of the page, its events, what runs and what it logs', async () => {
  expect(await typed(`temporal workflow count -q 'ExecutionStatus = "Running"'`)).toMatch(/Total: [1-9]/u);
  expect(Number(await typed('redis-cli XLEN point-alarm-events'))).toBeGreaterThan(0);
  expect(await typed('sentinel SENTINEL CKQUORUM point-alarm')).toContain('OK 3 usable Sentinels');
  expect(await typed('pas watch --from 0 --once --json | tail -n 1')).toContain('PointAlarm');
  expect(await typed('logs api | tail -n 1')).toContain('"level"');
  expect((await typed('processes')).match(/running/gu)?.length).toBe(13);
  expect((await typed('usage')).match(/%Cpu/gu)?.length).toBe(6);
  expect(await typed('on-postgres psql -Atc "select 1"')).toBe('1');
});

/** The calls that the service should have answered, and did not. */
const failuresIn = ({ recorder }: Setting<HostsStack>): ReadonlyArray<unknown> =>
  recorder.tries
    .filter(({ called: { status } }) => status === 0 || status >= 500 || status === 429)
    .map(({ called: { status, fault, body } }) => ({ status, fault, body }));

test('no call fails while hosts are restarted by the page', async () => {
  const { setting } = await underLoad(
    'a rolling restart',
    () => follow('docs/deployment-hosts.md', '## Restart one host at a time'),
    { callers: 8, keyed: 0 },
  );
  expect(failuresIn(setting)).toEqual([]);
});

test('a setting is changed by the page, and no call fails', async () => {
  const { machine } = stack();
  stack().setInCheckout('EVENT_STREAM_MAXLEN', '2000000');
  const { setting } = await underLoad('a setting', () => follow('docs/deployment-hosts.md', '## Change a setting'), {
    callers: 8,
    keyed: 0,
  });
  expect(failuresIn(setting)).toEqual([]);
  expect(await machine('10.0.0.7').sh('cat /etc/point-alarm/service.env')).toContain('EVENT_STREAM_MAXLEN=2000000');
});

test('nobody reads metrics by the balancer', async () => {
  expect(
    await stack().run({
      hosts: ['10.0.0.1'],
      script: 'curl -sk -o /dev/null -w "%{http_code}" https://10.0.0.3/metrics',
    }),
  ).toBe('403');
});

test('an upgrade and the way back lose nothing', async () => {
  stack().checkOutNextRelease();
  await underLoad('an upgrade', () => follow('docs/upgrades.md', '### On hosts'));
  await underLoad('the way back', () => follow('docs/upgrades.md', '### Go back'));
});

test.each(Object.keys(units))('%s loses its power, boots, and comes back by itself', async (address) => {
  await underLoad(`power of ${address}`, async () => {
    await stack().machine(address).kill();
    await sleep(2_000);
    await stack().machine(address).boot();
    await untilUp(address);
  });
});

test('a machine that is added takes calls and nodes', async () => {
  await underLoad('one more machine', () => stack().add(['## Every host', '## API and workers']));
  const { machine } = stack();
  expect(await machine('10.0.0.8').sh('systemctl is-active point-alarm-api point-alarm-worker')).toBe('active\nactive');
  const served = `echo 'show stat' | socat stdio /run/haproxy/admin.sock | grep '^api,api-3,'`;
  const isServed = async (): Promise<string | undefined> => (await machine('10.0.0.3').sh(served)).split(',')[17];
  await eventually(isServed, (state) => state === 'UP', UP_WITHIN_MS); // HAProxy's checks take some seconds
});

test('PostgreSQL is restored from its copy and its archive, and nothing is lost', async () => {
  await follow('docs/backup-restore.md', '### PostgreSQL on hosts');
  await underLoad('a restore of PostgreSQL', () => follow('docs/backup-restore.md', '## Restore PostgreSQL'));
});

test.each(['10.0.0.7', '10.0.0.6', '10.0.0.3', '10.0.0.5', '10.0.0.4'])(
  '%s is lost with its disks, and an empty machine takes its place by the page',
  async (address) => {
    await underLoad(`a new ${address}`, async () => {
      await stack().replace(address);
      await untilUp(address);
    });
  },
);

test('Redis is copied, restored from the copy, and told the state of each node again', async () => {
  const length = (): Promise<string> => typed('redis-cli XLEN point-alarm-events');
  const before = await length();
  await follow('docs/backup-restore.md', '### Redis on hosts');
  await follow('docs/backup-restore.md', '## Restore Redis');
  expect(await length()).toBe(before);
  expect(await typed('pas republish --all --again 2>&1 | tail -n 1')).toMatch(/^[1-9]\d* publish, /u);
  await underLoad('after the restore of Redis', () => sleep(3_000));
});

test('each password, key and certificate is changed, and nothing is lost', async () => {
  for (const [at, block] of blocksOf(
    'docs/deployment-hosts.md',
    '## Change passwords, keys and certificates',
  ).entries())
    await underLoad(`new secrets, ${at + 1}`, () => stack().run(block));
  // Each server of Redis also starts with what was changed while it ran.
  await underLoad('Redis is started anew', () => typed('restart redis'));
  expect(await typed('redis-cli INFO replication')).toContain('connected_slaves:1');
});
