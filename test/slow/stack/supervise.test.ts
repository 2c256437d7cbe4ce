import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'redis';
import { expect, inject, test } from 'vitest';
import { testPort } from '../../../dev/stack/free-ports';
import { isAlive, statOf, type KnownProcess } from '../../../process/pid-lock.cjs';
import { dataFolder, journalOf, processesOf, runSupervisor, until } from './run-supervisor';

const READY = /all +ready after [\d.]+ s[^]*Ctrl-C stops all of it/;

const addressIn = (output: string, name: string): string =>
  new RegExp(`^${name} +(\\S+)`, 'm').exec(output)?.[1] ?? `no ${name} in the output`;

const environmentOf = async (api: string): Promise<unknown> => (await fetch(`${api}/environment`)).json();

/** The servers of the test run: for what is about the supervisor alone, and quicker. */
const shared = (): Readonly<Record<string, string>> => ({
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  REDIS_URL: inject('redisUrl'),
});

/** A supervisor in a folder of its own, once it says that it is ready. */
const ready = async (env: Readonly<Record<string, string>> = {}) => {
  const folder = dataFolder();
  const supervisor = runSupervisor(folder, env);
  return { folder, supervisor, output: await supervisor.says(READY) };
};

test('it brings everything up, prints where it is, and stops it in order on Ctrl-C', async () => {
  const { folder, supervisor, output } = await ready();
  const api = addressIn(output, 'API');
  expect((await fetch(`${api}/readyz`)).status).toBe(200);
  expect(addressIn(output, 'Docs')).toBe(`${api}/docs`);
  expect((await fetch(addressIn(output, 'Temporal UI'))).status).toBe(200);
  expect(addressIn(output, 'Redis')).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
  expect(addressIn(output, 'Stream')).toBe('point-alarm-events');
  expect(output).toContain('-H "Authorization: Bearer $(npm run -s token)"');
  supervisor.signal('SIGINT');
  expect(await supervisor.exited).toBe(0);
  expect(supervisor.said()).toMatch(/all +stopping \.\.\.\nall +stopped after [\d.]+ s\n$/);
  expect(journalOf(folder).slice(-2)).toEqual(['api stops', 'worker stops']);
  expect(processesOf(folder)).toEqual([]);
  expect(existsSync(join(folder, 'data/start.lock'))).toBe(false);
});

test('the processes get the addresses, a key and grants of development, and nothing meant for another Temporal', async () => {
  const otherwise = { TEMPORAL_API_KEY: 'secret', TEMPORAL_TLS: 'true', TEMPORAL_TASK_QUEUE: 'mine' };
  const { folder, output } = await ready(otherwise);
  const environment = await environmentOf(addressIn(output, 'API'));
  expect(environment).toMatchObject({
    TEMPORAL_ADDRESS: addressIn(output, 'Temporal').replace(',', ''),
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TASK_QUEUE: 'mine',
    REDIS_URL: addressIn(output, 'Redis'),
    HOST: '127.0.0.1',
    AUTH_JWKS_FILE: join(folder, 'data/dev-auth/jwks.json'),
    AUTH_ISSUER: 'point-alarm-development',
    AUTH_AUDIENCE: 'point-alarm',
    GRANTS_FILE: join(folder, 'data/dev-auth/grants.json'),
  });
  expect(environment).not.toHaveProperty('TEMPORAL_API_KEY');
  expect(environment).not.toHaveProperty('TEMPORAL_TLS');
  expect(JSON.parse(readFileSync(join(folder, 'data/dev-auth/grants.json'), 'utf8'))).toEqual({
    grants: [{ user: '*', actions: ['*'], node: '*' }],
  });
});

test('servers given by their addresses are used, and no keys or grants are made where some are set', async () => {
  const given = {
    ...shared(),
    AUTH_JWKS_URL: 'https://keys.example/jwks.json',
    AUTHORIZER_URL: 'https://decisions.example',
  };
  const { supervisor, output } = await ready(given);
  const environment = await environmentOf(addressIn(output, 'API'));
  expect(environment).toMatchObject(given);
  expect(environment).not.toHaveProperty('AUTH_JWKS_FILE');
  expect(environment).not.toHaveProperty('GRANTS_FILE');
  expect(output).not.toContain('Temporal UI');
  expect(output).toContain('Bearer $TOKEN');
  supervisor.signal('SIGTERM');
  expect(await supervisor.exited).toBe(0);
  const redis = createClient({ url: inject('redisUrl') });
  await redis.connect();
  expect(await redis.ping()).toBe('PONG');
  redis.destroy();
});

test('what is stored survives a restart', async () => {
  const { folder, supervisor: first, output } = await ready();
  const before = createClient({ url: addressIn(output, 'Redis') });
  await before.connect();
  await before.set('kept', 'yes');
  before.destroy();
  first.signal('SIGINT');
  await first.exited;
  const second = runSupervisor(folder);
  const after = createClient({ url: addressIn(await second.says(READY), 'Redis') });
  await after.connect();
  expect(await after.get('kept')).toBe('yes');
  after.destroy();
  expect(existsSync(join(folder, 'data/temporal/temporal.db'))).toBe(true);
});

test('a supervisor that is killed leaves no process behind, and the next one starts at once', async () => {
  const { folder, supervisor } = await ready();
  expect(processesOf(folder).length).toBeGreaterThanOrEqual(5);
  supervisor.signal('SIGKILL');
  expect(await supervisor.exited).toBe('SIGKILL');
  const next = runSupervisor(folder);
  await next.says(READY);
  next.signal('SIGINT');
  expect(await next.exited).toBe(0);
  await until(() => processesOf(folder).length === 0);
});

test('kill -9 of every Node process, in a folder with an odd name: the next start ends what was left, and has its files', async () => {
  const folder = join(dataFolder(), 'a#b?c%2Fd');
  mkdirSync(folder);
  const first = runSupervisor(folder);
  await first.says(READY);
  const holders = JSON.parse(readFileSync(join(folder, 'data/start.lock'), 'utf8')) as ReadonlyArray<KnownProcess>;
  const isServer = ({ pid }: KnownProcess): boolean => /^(temporal|redis|valkey)/.test(statOf(pid)?.name ?? '');
  const servers = holders.filter(isServer);
  expect(servers).toHaveLength(2);
  for (const holder of holders) if (!servers.includes(holder)) process.kill(holder.pid, 'SIGKILL');
  await until(() => holders.filter(isAlive).every((holder) => servers.includes(holder)));
  expect(servers.every(isAlive)).toBe(true);

  const second = runSupervisor(folder);
  const output = await second.says(READY);
  for (const { pid } of servers) expect(output).toContain(`(process ${pid}), which another start left running`);
  expect(servers.some(isAlive)).toBe(false);
  expect(existsSync(join(folder, 'data/temporal/temporal.db'))).toBe(true);
  second.signal('SIGINT');
  expect(await second.exited).toBe(0);
});

test('an API whose port was taken meanwhile gets another one', async () => {
  const port = String(testPort());
  const { output } = await ready({ ...shared(), PORT: port, FAKE_TAKEN: port });
  expect(addressIn(output, 'API')).not.toContain(`:${port}`);
  expect((await fetch(`${addressIn(output, 'API')}/readyz`)).status).toBe(200);
});

test('a process that ends by itself is named after its warnings, and everything else stops', async () => {
  const { folder, supervisor, output } = await ready(shared());
  const api = addressIn(output, 'API');
  await fetch(`${api}/warn`);
  await supervisor.says(/^api +warning: api is worried$/m);
  await fetch(`${api}/crash`).catch(() => undefined);
  expect(await supervisor.exited).toBe(1);
  expect(supervisor.said()).toMatch(/\napi ended with exit code 3; its log is \S+\/logs\/api\.log\n$/);
  expect(journalOf(folder).at(-1)).toBe('worker stops');
  expect(processesOf(folder)).toEqual([]);
});

test('a second Ctrl-C does not wait for a process that does not stop', async () => {
  const { supervisor } = await ready({ ...shared(), FAKE_STUBBORN: 'api' });
  supervisor.signal('SIGINT');
  supervisor.signal('SIGINT'); // the same Ctrl-C, passed on by npm
  await supervisor.says('stopping');
  const begin = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // a second one, as a user gives it
  supervisor.signal('SIGINT');
  expect(await supervisor.exited).toBe(0);
  expect(Date.now() - begin).toBeLessThan(8_000);
});

test('a second start on the same data is refused in one line', async () => {
  const { folder, supervisor: first } = await ready(shared());
  const second = runSupervisor(folder, shared());
  expect(await second.exited).toBe(1);
  expect(second.said()).toBe(
    `npm start runs already with ${join(folder, 'data')} (process ${first.pid}); stop that one first\n`,
  );
  expect((await fetch(`${addressIn(first.said(), 'API')}/readyz`)).status).toBe(200);
});
