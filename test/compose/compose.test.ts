import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../stack/project-root';
import { runScenario, type ScenarioPlan } from '../chaos/scenario';
import { seed } from '../chaos/seed';
import { withStackOf } from '../chaos/with-stack';
import { comparable, consoleCommands } from '../support/documents/console';
import { pagesFor } from '../support/documents/tier-commands';
import { recordsOf } from '../support/run-node';
import { engineOf, IMAGE, IMAGE_BEFORE, prepareStack, type ComposeStack } from './compose-stack';

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

test('every service is known here, and API and worker end in order', async () => {
  const brief = ['temporal-schema', 'temporal-namespace', 'development-auth', 'token', 'pas'];
  expect(Object.keys(services).sort()).toEqual([...lasting, ...brief].sort());
  await stack().compose('stop api worker');
  for (const service of ['api', 'worker']) expect((await stack().container(service)).State.ExitCode).toBe(0);
});
