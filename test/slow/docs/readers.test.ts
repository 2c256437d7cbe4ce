import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { createPublisher } from '../../../stream/append';
import { newNode, type Node } from '../../../workflows/domain/node/state';
import { emptyOutbox, type OutboxEvent } from '../../../workflows/domain/node/outbox';
import { setExternalAlarm, setThreshold } from '../../support/commands';
import { overall } from '../../support/measurements';
import { accepted, anId, send, START } from '../../support/scenario';
import { documentedRules, documentedUser } from '../../support/redis/documented-user';
import { eventSettings } from '../../support/redis/event-settings';
import { redisGround } from '../../support/redis/servers';
import { sharedRedis } from '../../support/redis/shared-redis';
import { connectBy, watchedPrimary } from '../../support/redis/topologies';
import { forFile } from '../../support/for-file';
import { startOwnPostgres } from '../../support/forward/own-postgres';
import { folderOfFile } from '../../support/temporary-folder';
import { startAnsweringServer } from '../../support/answering-server';
import { peers, whole } from '../../support/peers/peers';
import { startPeers } from '../../support/peers/start-peers';
import { ofOrders, type Fate } from '../../support/peers/ways';
import { createAuthority } from '../../support/tls/certificates';

const guide = readFileSync(join(projectRoot, 'docs/consumer-python-go.md'), 'utf8');

/** Its commands, as they stand there. */
const [[settings = '', , create = ''] = [], [install = '', python = ''] = [], [go = ''] = [], [, danger = ''] = []] = [
  ...guide.matchAll(/<!-- run: test\/slow\/docs -->\n```sh\n(.*?)\n```/gsu),
].map(([, block = '']) => block.split('\n'));

/** Deletes what belongs to removed nodes from `effects.db`, and prints their orders. */
const [, forgetRemoved = ''] = /sh\n( *sqlite3 effects.db "DELETE[^`]*)```/u.exec(guide) ?? [];

const languages = Object.entries({ Python: python, Go: go });
const postgres = forFile(startOwnPostgres, ({ stop }) => stop());
const kinds = ['SQLite', 'PostgreSQL'];
const variants = languages.flatMap(([name, run]) => kinds.map((kind) => [`${name} with ${kind}`, kind, run] as const));
const soon = { timeout: 120_000, interval: 50 };
const url = inject('redisUrl');
const redis = sharedRedis();
const folder = folderOfFile();
beforeAll(() => {
  expect([settings, create, install, python, go, danger, forgetRemoved]).not.toContain('');
  cpSync(join(projectRoot, 'docs/examples'), join(folder, 'docs/examples'), { recursive: true });
  for (const command of [install, go.replace('go run', 'go build')])
    execFileSync('bash', ['-ec', `${settings}\n${command}`], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
});

type Line = Readonly<Record<'type' | 'aggregateId' | 'sequenceId', string>> & Readonly<Record<string, unknown>>;

/** A reader as the document starts it, in a group of processes of its own: its command may start another. */
const startReader = (command: string, env: Readonly<Record<string, string>>) => {
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let [printed, reported] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
  child.stderr.on('data', (data: Buffer) => (reported += data.toString()));
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal);
  };
  const stop = async (): Promise<void> => {
    kill('SIGKILL');
    await closed;
  };
  onTestFinished(stop);
  return {
    kill,
    stop,
    lines: () => [...printed.matchAll(/.+\n/gu)].map(([line]): Line => JSON.parse(line)),
    reported: () => reported,
  };
};

const settingsOf = (stream: string, group: string, name: string) => {
  const EFFECTS_FILE = join(folder, `${group}.db`);
  return { EVENT_STREAM: stream, CONSUMER_GROUP: group, CONSUMER_NAME: name, EFFECTS_FILE };
};

/** A database that bears the group's name: the setting of its readers, and the command that asks it. */
const databaseOf = async (group: string, kind: string) => {
  if (kind === 'SQLite') return { setting: {}, asking: `sqlite3 ${group}.db` };
  await postgres.ask(`CREATE DATABASE "${group}"`);
  const EFFECTS_URL = postgres.url.replace(/\w+$/u, group);
  return { setting: { EFFECTS_URL }, asking: `psql -qAt ${EFFECTS_URL} -c` };
};

/** Redis behind TLS, as the settings of a reader that trusts its authority. */
const redisBehindTls = async () => {
  const authority = createAuthority('redis');
  const file = join(folder, `authority-${randomUUID()}.pem`);
  writeFileSync(file, authority.cert);
  const { hostname, port } = new URL(url);
  const server = createTlsServer(authority.issue('localhost'), (secured) => {
    const plain = connect(Number(port), hostname);
    pipeline(secured, plain, () => undefined);
    pipeline(plain, secured, () => undefined);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { REDIS_URL: `rediss://localhost:${(server.address() as AddressInfo).port}`, SSL_CERT_FILE: file };
};

/** Seven events of a node: its threshold's two, and one for each status from outside. */
const eventsOf = (nodeId: string, last = 2): ReadonlyArray<OutboxEvent> => {
  let node: Node = newNode(nodeId);
  const commands = [setThreshold(overall), ...[2, 3, 4, 3, last].map((status) => setExternalAlarm({ status }))];
  return commands.flatMap((command, at) => {
    const { outbox, ...after } = accepted(send(node, command, START + at)).node;
    node = { ...after, outbox: emptyOutbox };
    return outbox.waiting;
  });
};

const lineOf = (nodeId: string, { type, sequenceId, data }: OutboxEvent): Line => ({
  ...{ type, aggregateId: nodeId, sequenceId },
  ...('alarmStatus' in data && { alarmStatus: data['alarmStatus'] }),
  ...('threshold' in data && { threshold: data['threshold'] }),
});

const NODES = [anId(1), anId(2), anId(3)] as const;

test.each(variants)('readers in %s take each event once, in order, though two are killed', async (_, kind, command) => {
  const [stream, group] = [`read-${randomUUID()}`, `group-${randomUUID()}`];
  const { setting, asking } = await databaseOf(group, kind);
  const user = await documentedUser(redis, url, { name: 'reader', stream, group }, '+client|setname');
  const publisher = createPublisher({ client: redis }, eventSettings({ stream }));
  const events = new Map(NODES.map((nodeId) => [nodeId, eventsOf(nodeId, 4)] as const));
  const expected = new Map([...events].map(([id, all]) => [id, all.map((event) => lineOf(id, event))] as const));
  const published = new Map<string, number>();
  const publish = async (nodeId: string, count: number): Promise<void> => {
    const from = published.get(nodeId) ?? 0;
    const some = events.get(nodeId)?.slice(from, from + count) ?? [];
    expect(some).not.toEqual([]);
    published.set(nodeId, from + some.length);
    await publisher.append({ nodeId, events: some });
  };
  const publishOfAll = async (count: number): Promise<void> => {
    for (const nodeId of NODES) await publish(nodeId, count);
  };

  const readers: Array<ReturnType<typeof startReader>> = [];
  const start = (name: string, claimAfterMs: number) => {
    const own = { REDIS_URL: `${user.url}?client_name=${group}`, CLAIM_AFTER_MS: String(claimAfterMs) };
    const reader = startReader(command, { ...settingsOf(stream, group, name), ...setting, ...own });
    readers.push(reader);
    return reader;
  };
  const held = async (): Promise<number> => (await redis.xPending(stream, group)).pending;
  const allDone = () =>
    vi.waitFor(async () => {
      const reported = readers.map((reader) => reader.reported()).join('');
      const [known] = await redis.xInfoGroups(stream);
      const { 'last-generated-id': end } = await redis.xInfoStream(stream);
      expect([known?.pending, known?.['last-delivered-id']], reported).toEqual([0, end]);
    }, soon);
  const oneWaits = () =>
    vi.waitFor(async () => {
      const clients = (await redis.sendCommand<string>(['CLIENT', 'LIST'])).split('\n');
      expect(clients.filter((one) => one.includes(` name=${group} `) && one.includes(' flags=b '))).toHaveLength(1);
    }, soon);
  /** Kills it while it holds two events of a node: Redis delivers to one that was stopped while it waits. */
  const killHolding = async (reader: ReturnType<typeof startReader>, nodeId: string): Promise<void> => {
    do {
      reader.kill('SIGCONT');
      await oneWaits();
      reader.kill('SIGSTOP');
      await publish(nodeId, 2);
    } while ((await held()) === 0); // its wait ended just then
    await reader.stop();
    expect(await held()).toBe(2);
  };

  const env = { ...process.env, REDIS_URL: user.url, CONSUMER_GROUP: group };
  execFileSync('bash', ['-ec', create.replace('point-alarm-events', stream)], { env });
  const first = start('first', 1_000);
  await publishOfAll(1);
  await allDone();
  await killHolding(first, NODES[0]);

  await publishOfAll(1); // new ones must wait for what `first` held
  const [oldest] = (await redis.xRange(stream, '-', '+', { COUNT: 1 })) ?? [];
  await redis.xAdd(stream, '*', { ...oldest?.message }); // a repeat
  for (const data of ['5', '[]', '{'])
    await redis.xAdd(stream, '*', { type: 'PointAlarmStatusEvent', aggregateId: NODES[0], sequenceId: 'Z', data });
  await redis.xAdd(stream, '*', { type: 'OfALaterRelease', data: '{}' });
  const second = start('second', 1_000);
  await allDone();
  await killHolding(second, NODES[1]);

  const trimmed = await redis.xAdd(stream, '*', { type: 'Trimmed' });
  await redis.xReadGroup(group, 'second', { key: stream, id: '>' });
  await redis.xDel(stream, trimmed);
  const third = start('second', 3_600_000); // what it holds, it knows by its name
  await publishOfAll(Infinity);
  await allDone();
  expect(third.reported()).toContain(`${trimmed} was trimmed before it was handled`);

  const printed = () => readers.flatMap((reader) => reader.lines());
  await vi.waitFor(() => expect(printed().length).toBeGreaterThanOrEqual(NODES.length * 7), soon);
  expect(new Map(NODES.map((id) => [id, printed().filter(({ aggregateId }) => aggregateId === id)]))).toEqual(expected);
  expect(readers.map((reader) => reader.lines().length > 0)).toEqual([true, true, true]);

  await Promise.all(readers.map((reader) => reader.stop()));
  const left = await redis.xAdd(stream, '*', { type: 'Trimmed' });
  await redis.xReadGroup(group, 'gone', { key: stream, id: '>' });
  await redis.xAdd(stream, '*', { type: 'OfALaterRelease', data: '{}' });
  await redis.xDel(stream, left);
  const fourth = start('fourth', 1_000);
  await allDone();
  await oneWaits(); // no longer between its check for a gap and its read
  // As if each was killed between its effect and its acknowledgement, and the stream trimmed; the text 9 stands behind 17.
  await redis.xGroupSetId(stream, group, '9-1');
  await allDone();
  expect(fourth.lines()).toEqual([]);
  expect(fourth.reported()).toContain('entries between 9-1 and');
  expect(fourth.reported()).toContain(`${left} was trimmed before it was handled`);
  expect(readers.slice(0, -1).map((reader) => reader.reported())).not.toContainEqual(expect.stringContaining('unread'));
  await redis.del(stream);
  const fifth = start('fifth', 1_000);
  await vi.waitFor(() => expect(fifth.reported()).toContain(`Redis lost the group ${group}`), soon);
  // The effects: each node, its last status, when, how many events it had, and that it is in DANGER.
  const rows = NODES.map((id) => `${id}|4|${events.get(id)?.at(-1)?.timestamp}|7`);
  const ask = `${asking} 'SELECT * FROM status ORDER BY node'; ${danger.replace(/.*effects.db/u, asking)}`;
  expect(execFileSync('bash', ['-c', ask], { cwd: folder, encoding: 'utf8' })).toBe([...rows, ...NODES, ''].join('\n'));
});

test.each(variants)('a reader in %s, by TLS, keeps an order, by one key when killed', async (_, kind, command) => {
  const [stream, group, nodeId] = [`read-${randomUUID()}`, `group-${randomUUID()}`, NODES[0]];
  const { setting, asking } = await databaseOf(group, kind);
  let answers = false;
  const orders = await startAnsweringServer((_request, response) => answers && response.writeHead(204).end());
  onTestFinished(orders.close);
  const calls = () => orders.asked.map(({ headers, body }) => ({ key: headers['idempotency-key'], body }));
  const env = { ...(await redisBehindTls()), ...settingsOf(stream, group, 'one'), ...setting };
  const start = () => startReader(command, { ...env, ORDERS_URL: `${orders.url}/orders` });

  const events = eventsOf(nodeId);
  await createPublisher({ client: redis }, eventSettings({ stream })).append({ nodeId, events });
  const first = start();
  await vi.waitFor(() => expect(calls(), first.reported()).toHaveLength(1), soon);
  await first.stop();
  answers = true;
  const second = start();
  const isUpTo = (sequenceId = '') =>
    vi.waitFor(() => expect(second.lines().at(-1)?.sequenceId, second.reported()).toBe(sequenceId), soon);
  await isUpTo(events.at(-1)?.sequenceId);
  const call = (sequenceId: string, name: string, status: number, part: unknown = { status }, label = '') => ({
    key: `${sequenceId}/${name}/${status}`,
    body: { order: `${nodeId}/${name}${label}`, status, part },
  });
  const ofEvents = events
    .slice(-4)
    .map(({ sequenceId, data }, at) => call(sequenceId, 'externalAlarm', [3, 4, 3, 0][at]!, data['externalAlarm']));
  expect(calls()).toEqual([ofEvents[0], ...ofEvents]);

  const add = (sequenceId: string, data: string) =>
    redis.xAdd(stream, '*', { type: 'PointAlarmStatusEvent', aggregateId: nodeId, timestamp: '1', sequenceId, data });
  const data = '{"laterAlarm":{"status":4},"laterAlarms":[{"status":2},{"status":3}],"laterName":"x","laters":["x"]}';
  await add('Z', data);
  await add('ZA', data.replace(/\d/gu, '1')); // NO_DATA ends none
  await isUpTo('ZA');
  expect(calls().slice(5)).toEqual([call('Z', 'laterAlarm', 4), call('Z', 'laterAlarms/1', 3)]);

  // The node is removed, and comes back with two HALs and a band. Then the HALs swap places, and the band has a new edge.
  const forget = `START_MS=60002; ${forgetRemoved.replaceAll('sqlite3 effects.db', asking)}`;
  const forgotten = execFileSync('bash', ['-ec', forget], { cwd: folder, encoding: 'utf8' });
  expect(forgotten.split('\n').sort()).toEqual(['', `${nodeId}|laterAlarms/1|`, `${nodeId}|laterAlarm|`]);
  const [outer, inner] = ['BPFO', 'BPFI'].map((label) => ({ status: 4, label }));
  const [old, wide] = [3, 2.5].map((value) => ({ status: 3, maxFrequency: { valueType: 1, value } }));
  await add('ZB', JSON.stringify({ halAlarms: [outer, inner], bandAlarms: [old] }));
  await add('ZC', JSON.stringify({ halAlarms: [inner, outer], bandAlarms: [wide] }));
  await isUpTo('ZC');
  const band = '/[null,{"value":3,"valueType":1}]';
  expect(calls().slice(10)).toEqual([
    call('ZC', 'bandAlarms/0', 3, wide, band.replace('3', '2.5')),
    call('ZC', 'bandAlarms/0', 0, null, band),
    call('ZC', 'halAlarms/0', 4, inner, '/BPFI'),
    call('ZC', 'halAlarms/0', 0, null, '/BPFO'),
    call('ZC', 'halAlarms/1', 0, null, '/BPFI'),
    call('ZC', 'halAlarms/1', 4, outer, '/BPFO'),
  ]);
});

test.each(languages)(
  'a reader in %s takes an order for sent once its target said so itself, and sends it again otherwise',
  async (language, command) => {
    const [stream, group, nodeId] = [`read-${randomUUID()}`, `group-${randomUUID()}`, NODES[0]];
    const calls = new Map<string, number>(); // by the key, in the order of the first calls
    const orders = await startPeers(
      ({ headers }) => {
        const key = String(headers['idempotency-key']);
        calls.set(key, (calls.get(key) ?? 0) + 1);
        return calls.get(key) === 1 ? peers[calls.size - 1] : undefined;
      },
      whole('takes', 204),
    );
    const sequenceOf = (at: number): string => `Z${String(at).padStart(4, '0')}`;
    for (const at of peers.keys()) {
      const data = JSON.stringify({ externalAlarm: { status: 3 + (at % 2) } });
      const sequenceId = sequenceOf(at);
      await redis.xAdd(stream, '*', {
        type: 'PointAlarmStatusEvent',
        aggregateId: nodeId,
        timestamp: '1',
        sequenceId,
        data,
      });
    }
    // Answers of Redis have another shape in protocol 3, which a URL may ask for.
    const REDIS_URL = `${url}?protocol=3`;
    const env = { ...settingsOf(stream, group, 'one'), REDIS_URL, ORDERS_URL: `${orders.url}/orders` };
    const reader = startReader(command, env);
    const last = sequenceOf(peers.length - 1);
    const isDone = () => expect(reader.lines().at(-1)?.sequenceId, reader.reported().slice(-2_000)).toBe(last);
    await vi.waitFor(isDone, { timeout: 280_000, interval: 500 });
    const fates: ReadonlyArray<Fate> = [...calls.values()].map((count) => (count === 1 ? 'once' : 'later'));
    const found = Object.fromEntries(peers.map(({ name }, at) => [name, fates[at]]));
    expect(found).toEqual(Object.fromEntries(peers.map((peer) => [peer.name, ofOrders(peer)])));
    expect(Math.max(...calls.values())).toBe(2);
    expect(orders.asked.filter(({ path }) => path !== '/orders')).toEqual([]);
    expect(reader.lines()).toHaveLength(peers.length);
    console.log(`${language}: ${peers.length} peers, ${orders.asked.length} calls`);
  },
  400_000,
);

test.each(languages)('a reader in %s, started again, follows what Sentinels elect', async (_, command) => {
  const [stream, group, nodeId] = [`read-${randomUUID()}`, `group-${randomUUID()}`, NODES[0]];
  const ground = await redisGround();
  onTestFinished(ground.stop);
  const { primary, replicas, sentinels } = await watchedPrimary(ground, 1, 2_000);
  const heir = replicas[0]!;
  const rules = documentedRules({ name: 'reader', stream, group });
  for (const one of [primary, heir]) await one.ask('ACL', 'SETUSER', 'reader', ...rules);
  const link = await connectBy({ sentinels: { addresses: sentinels, master: 'main' } }, stream);
  onTestFinished(() => link.close());
  const publisher = createPublisher(link, eventSettings({ stream }));
  const events = eventsOf(nodeId);
  const reader = startReader(`while :; do ${command}; sleep 1; done`, {
    REDIS_URL: 'redis://reader:change-me@nobody:1',
    REDIS_SENTINELS: sentinels.map(({ host, port }) => `${host}:${port}`).join(','),
    REDIS_SENTINEL_MASTER: 'main',
    ...settingsOf(stream, group, 'one'),
  });
  const expected = events.map((event) => lineOf(nodeId, event));
  const allRead = (count: number) =>
    vi.waitFor(() => expect(reader.lines(), reader.reported()).toEqual(expected.slice(0, count)), soon);

  await publisher.append({ nodeId, events: events.slice(0, 3) });
  await allRead(3);
  expect(await primary.ask('WAIT', '1', '5000')).toBe(1);
  primary.freeze();
  await vi.waitFor(async () => expect(String(await heir.ask('ROLE'))).toContain('master'), soon);
  await vi.waitFor(() => publisher.append({ nodeId, events: events.slice(3) }), soon);
  await allRead(events.length);
});
