import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../dev/stack/project-root';
import { runScenario, type ScenarioPlan } from '../chaos/scenario';
import { seed } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { comparable, consoleCommands } from '../support/documents/console';
import { NODE, pagesFor, partFor, scriptFor, shell } from '../support/documents/tier-commands';
import { recordsOf } from '../support/run-node';
import { createAuthority } from '../support/tls/certificates';
import { engineOf, IMAGE, IMAGE_BEFORE, prepareStack, TLS_REDIS, type ComposeStack } from './compose-stack';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const { services }: { readonly services: Readonly<Record<string, object>> } = parse(read('docker-compose.yml'), {
  merge: true,
});
/** Those that stay, in the order in which one needs the other. */
const lasting = ['postgres', 'temporal', 'temporal-ui', 'redis', 'worker', 'api'];

beforeAll(() => console.log(engineOf()));
const { stack, tail } = withStackOf(prepareStack);

test('the commands of the documents bring it up, from nothing to the first alarm', async () => {
  const [first, ...others] = pagesFor('test:compose', 'docs/deployment.md');
  expect(await stack().documented(first?.script ?? '')).toMatch(/DANGER +[\w-]{36} {2}overall DANGER/u);
  for (const { script } of others) await stack().documented(script);
  console.log(await stack().compose('images'));
});

test('the calls of the README print what it shows', async () => {
  const [environment, ...shown] = consoleCommands(read('README.md'));
  for (const { command, output } of shown) {
    const printed = await stack().documented(`${environment?.command ?? ''}\n${command}`);
    expect({ command, printed: comparable(printed) }).toEqual({ command, printed: comparable(output) });
  }
});

test.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])('GET %s answers', async (path) => {
  expect((await fetch(`${stack().apis[0].url}${path}`)).status).toBe(200);
});

test("Temporal's UI shows the namespace", async () => {
  const answer = await fetch(`${stack().uiUrl}/api/v1/namespaces/default`);
  expect(await answer.json()).toMatchObject({ namespaceInfo: { name: 'default' } });
});

test('its containers are healthy; ours have a read-only root, no capability, and a user that is not root', async () => {
  for (const service of lasting) {
    const { State, HostConfig, Config } = await stack().container(service);
    if (service !== 'temporal-ui') expect([service, State.Health?.Status]).toEqual([service, 'healthy']);
    if (service !== 'api' && service !== 'worker') continue;
    expect({ ...HostConfig, ...Config }).toMatchObject({
      ...{ ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'], Init: true },
      User: '1000:1000',
    });
  }
});

test('nobody warned of anything so far', async () => {
  const said = await stack().compose('logs --no-color --no-log-prefix api worker temporal');
  expect(recordsOf(`${said}\n`).filter(({ level }) => ['warn', 'error', 'fatal'].includes(level))).toEqual([]);
});

type Fault = ScenarioPlan<ComposeStack>['fault'];

/** Does it, and waits until all that stays is healthy. */
const once =
  (...lines: ReadonlyArray<string>): Fault =>
  async ({ stack: { compose } }) => {
    for (const line of lines) await compose(line);
    const endedAt = performance.now();
    await compose(`up --detach --wait --no-recreate ${lasting.join(' ')}`);
    return endedAt;
  };

const upgrade: Fault = async ({ stack: { compose } }) => {
  for (const service of ['worker', 'api']) await compose(`up --detach --wait --no-deps ${service}`, IMAGE);
  return performance.now();
};

const faults: ReadonlyArray<readonly [string, Fault]> = [
  ...lasting.map((service) => [`a restart of ${service}`, once(`restart ${service}`)] as const),
  ['a kill of all, and a start', once('kill', `start ${lasting.join(' ')}`)],
  ['down and up with its volumes', once('down')],
  ['an upgrade from the commit before', upgrade],
];

test.each(faults)('%s loses and repeats nothing', async (name, fault) => {
  if (fault === upgrade) await stack().compose('up --detach --wait --no-deps worker api', IMAGE_BEFORE);
  const plan = { name, fault, seed: seed + faults.findIndex(([of]) => of === name), callers: 8 };
  const { verdict } = await runScenario(stack(), tail(), plan);
  expect(verdict.breaches).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(100);
});

/** A token, as the commands that call the API need it. */
const TOKENS = `export TOKEN=$(docker compose run --rm token)
  export POINT_ALARM_TOKEN=$TOKEN`;
const PREPARED = `${TOKENS}\n${scriptFor('test:compose', read('docs/runbook/README.md'))}`;
const COMPOSE_PAGE = 'docs/contributing/docker-compose.md';

/** What a part of a page prints that a test runs by itself. */
const part = (name: string, page = COMPOSE_PAGE): Promise<string> =>
  stack().documented(`${TOKENS}\n${partFor('test:compose', name, page)}`, name === 'import' ? 'here' : 'in the image');
const thresholdOf = (): Promise<string> => stack().documented(`${PREPARED}\npas get $NODE`);

test('Prometheus scrapes API and worker by the configuration that is shipped', async () => {
  expect(await part('watch')).toBe('2 are scraped');
});

test('what was backed up is restored, and published again', async () => {
  const events = async (): Promise<number> =>
    Number(await stack().documented(`${PREPARED}\npas watch --from 0 --node $NODE --once | wc -l`));
  const [threshold, published] = [await thresholdOf(), await events()];
  await part('back-up');
  await stack().documented(`${PREPARED}
    echo '[{"op": "replace", "path": "/overall/innerHigh", "value": 65}]' | pas patch $NODE -f -`);
  expect(await thresholdOf()).not.toBe(threshold);
  await part('restore');
  expect(await thresholdOf()).toBe(threshold);
  expect(await events()).toBe(published + 2); // its threshold and its status
});

test('a key of payloads comes and changes, nodes keep their state, and Temporal has ciphertext', async () => {
  const asked = `${PREPARED}\ntemporal workflow query -w point-alarm-$NODE --type threshold`;
  const before = await thresholdOf();
  expect(await stack().documented(asked)).toContain('innerHigh');
  await part('key');
  expect(await thresholdOf()).toBe(before);
  expect(await stack().documented(asked)).not.toContain('innerHigh');
});

test('the password of the database changes, and Temporal knows it', async () => {
  const before = await thresholdOf();
  const asked = (password: string): Promise<string> =>
    stack().documented(
      `docker compose exec -T --env PGPASSWORD=${password} postgres psql -U temporal -h postgres -Atc 'SELECT 7' 2>&1 || true`,
    );
  expect(await asked('temporal')).toBe('7');
  await part('password');
  expect(await thresholdOf()).toBe(before);
  expect(await asked('temporal')).toContain('password authentication failed');
});

test('API, worker and pas reach a Redis by TLS with certificates of deploy/config', async () => {
  const { folder, compose } = stack();
  const { cert, issue } = createAuthority('test');
  const [server, client] = [issue(TLS_REDIS), issue('client')];
  const files = { 'ca.pem': cert, 'client.pem': client.cert, 'client.key': client.key };
  const ofServer = { 'server.pem': server.cert, 'server.key': server.key, 'ca.pem': cert };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'tls'));
  for (const [name, text] of Object.entries(ofServer)) writeFileSync(join(folder, 'tls', name), text);
  const named = '--tls-cert-file /tls/server.pem --tls-key-file /tls/server.key --tls-ca-cert-file /tls/ca.pem';
  await compose(`run --detach --no-deps --name ${TLS_REDIS} --volume ${folder}/tls:/tls:ro redis \
    redis-server --dir /tmp --port 0 --tls-port 6380 --tls-auth-clients yes ${named}`);
  const settings = join(folder, '.env');
  const before = readFileSync(settings, 'utf8');
  try {
    expect(await part('tls')).toMatch(/\d{4}-\d\d-\d\dT/u);
  } finally {
    writeFileSync(settings, before);
    await shell(`docker rm --force --volumes ${TLS_REDIS}`);
  }
  await compose('up --detach --wait worker api', IMAGE);
});

test('the limits of a pilot move to an empty installation', async () => {
  const page = 'docs/deployment.md';
  await part('export', page);
  const exported = readFileSync(join(stack().folder, 'thresholds.ndjson'), 'utf8');
  expect(exported).toContain(NODE);
  await stack().compose('down --volumes');
  await stack().compose('up --detach --wait api worker');
  expect(await part('import', page)).toMatch(
    new RegExp(`^${exported.trim().split('\n').length} set, 0 set before, 0 failed$`, 'mu'),
  );
  await part('export', page);
  expect(readFileSync(join(stack().folder, 'thresholds.ndjson'), 'utf8')).toBe(exported);
});

test('every service is known here, and API and worker end in order', async () => {
  const brief = ['temporal-schema', 'temporal-namespace', 'development-auth', 'token', 'pas'];
  expect(Object.keys(services).sort()).toEqual([...lasting, ...brief].sort());
  await stack().compose('stop api worker');
  for (const service of ['api', 'worker']) expect((await stack().container(service)).State.ExitCode).toBe(0);
});
