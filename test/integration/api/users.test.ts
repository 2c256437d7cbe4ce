import { join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { setting, isExecutable } from '../../../dev/stack/environment';
import { createFinder, rejectSource } from '../../../dev/stack/find-commands';
import { projectRoot } from '../../../dev/stack/project-root';
import { reportedFault } from '../../../dev/stack/report';
import { openGround } from '../../support/ground';
import { startService } from '../../support/service';
import { forFile } from '../../support/for-file';
import { createOtherProject, DEPENDENCIES, programsIn, type OtherProject } from '../../support/other-project';

/** A Chromium, for the tests of the documentation page. Errors: a fault, too, when CHROMIUM is set and does not serve. */
const findChromium = createFinder(
  'Chromium',
  ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  (env) => [
    {
      name: 'CHROMIUM',
      find: () => {
        const hint = 'set it to the path of a chromium or google-chrome command';
        const path = setting(env, 'CHROMIUM') ?? rejectSource(hint);
        if (!isExecutable(path)) throw reportedFault(`CHROMIUM does not serve: ${path} is no command`);
        return path;
      },
    },
  ],
);

/** All that the types of the consumer may need; nothing of Temporal, whose own types need some that no dependency brings. */
const CONSUMER_DEPENDENCIES = [
  ...[...DEPENDENCIES, '@redis', 'redis', 'prom-client'],
  ...['pino', 'pino-std-serializers', 'sonic-boom', 'thread-stream'],
];

const service = forFile(startService, ({ stop }) => stop());
let baseUrl: string;
let token: string;
beforeAll(async () => {
  baseUrl = `http://127.0.0.1:${service.api}`;
  token = await service.token();
});

describe('the documentation page, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    const ground = openGround('browser');
    browser = await chromium.launch({
      executablePath: await findChromium(process.env, ground),
      chromiumSandbox: false, // root has none
      args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    });
    await ground.close();
  });
  afterAll(() => browser.close());

  test('takes a token, sends a PUT and a GET, and asks nobody but the API', async () => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const seen = await watched(page);
    await page.goto(`${baseUrl}/docs`);

    await page.locator('button.authorize').first().click();
    await page.locator('.auth-container input').fill(token);
    await page.locator('.auth-container button.authorize').click();
    await page.locator('.auth-container button.btn-done').click();

    expect(await statusOf(await tryOut(page, 'setThreshold'))).toBe('204');
    const read = await tryOut(page, 'getThreshold');
    expect(await statusOf(read)).toBe('200');
    const body = await read.locator('.live-responses-table .response-col_description pre').first().innerText();
    expect(JSON.parse(body)).toMatchObject({ thresholdType: 2, overall: { outerHigh: 11.2 } });

    expect(seen.origins).toEqual(new Set([baseUrl]));
    expect(seen.complaints).toEqual([]);
    expect(await page.evaluate(VIOLATIONS)).toEqual([]);
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });
});

const VIOLATIONS = 'globalThis.violations';

/** The origins that a page asks, and what its console complains of. */
const watched = async (page: Page) => {
  const seen = { origins: new Set<string>(), complaints: new Array<string>() };
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') seen.origins.add(origin);
  });
  page.on('console', (message) => {
    // No page names an icon that browsers ask for by themselves.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) {
      seen.complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  await page.addInitScript(
    `${VIOLATIONS} = []; addEventListener('securitypolicyviolation', (event) => ${VIOLATIONS}.push(event.violatedDirective + ' ' + event.blockedURI));`,
  );
  return seen;
};

/** Opens an operation and sends it with the example that the page fills in. */
const tryOut = async (page: Page, operation: string): Promise<Locator> => {
  const block = page.locator(`.opblock[id$="-${operation}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('button.try-out__btn').click();
  await block.locator('button.execute').click();
  return block;
};

const statusOf = (block: Locator): Promise<string> =>
  block.locator('.live-responses-table tbody .response-col_status').first().innerText();

describe('the client, by the name of the package', () => {
  let consumer: OtherProject;
  beforeAll(() => {
    consumer = createOtherProject();
    consumer.write('shown.mts', shownIn('docs/client.md'));
  });
  afterAll(() => consumer.remove());

  test.each([
    { module: 'nodenext', skipLibCheck: false },
    { module: 'preserve', moduleResolution: 'bundler', skipLibCheck: true }, // the same declarations, found otherwise
  ])('has types for a consumer whose compiler is set to %j', (more) => {
    const compilerOptions = { target: 'es2023', strict: true, noEmit: true, types: ['node'], ...more };
    consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['shown.mts', 'wrong.mts'] }));
    consumer.write(
      'wrong.mts',
      `import { createPointAlarmClient } from 'point-alarm-service/client';
       const client = createPointAlarmClient({ baseUrl: '', token: '' });
       // @ts-expect-error: there is no such type of threshold
       void client.setThreshold('', { thresholdType: 9 });
       // @ts-expect-error: a spectrum is no data point
       void client.updateAlarmStatus('', { measurementId: '', createdAt: '', contentType: 'DATA_POINT', spectrum: {} });`,
    );
    consumer.run(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', consumer.folder]);
  });

  test.each([
    ['import', 'use.mjs', "import { createPointAlarmClient } from 'point-alarm-service/client';"],
    ['require', 'use.cjs', "const { createPointAlarmClient } = require('point-alarm-service/client');"],
  ])('by %s talks to the running service', (_, file, taken) => {
    consumer.write(
      file,
      `${taken}
       const client = createPointAlarmClient({ baseUrl: '${baseUrl}', token: '${token}' });
       const node = '8c6dbe2b-8f32-4eb6-9d0f-2a1f3d0b7c1${file === 'use.mjs' ? 1 : 2}';
       const run = async () => {
         const set = await client.setThreshold(node, { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 } });
         const measured = await client.updateAlarmStatus(node, {
           measurementId: node, createdAt: '2026-01-31T10:00:00.000Z', contentType: 'DATA_POINT',
           dataPoint: { coordinate: { x: 0, y: 50 }, xUnit: 's', yUnit: 'C' },
         });
         const status = await client.getAlarmStatus(node);
         const refused = await client.patchThreshold(node, [{ op: 'remove', path: '/halAlarms' }]);
         console.log(JSON.stringify([set.right, measured._tag, status.right.status, refused.left.type]));
       };
       run();`,
    );
    expect(JSON.parse(consumer.run(process.execPath, [file]))).toEqual([{ etag: '"1"' }, 'Right', 3, 'patch-conflict']);
  });
});

test('the example of the client runs as the page shows it', { timeout: 180_000 }, () => {
  const consumer = createOtherProject();
  onTestFinished(() => consumer.remove());
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  consumer.write('shown.mts', shownIn('docs/client.md').replace('http://127.0.0.1:3000', baseUrl));
  consumer.run(process.execPath, [tsc, '--module', 'nodenext', '--target', 'es2023', '--types', 'node', 'shown.mts']);
  consumer.write('globals.mjs', `globalThis.currentToken = () => '${token}';`);
  consumer.run(process.execPath, ['--import', './globals.mjs', 'shown.mjs']);
});

test('the types of the consumer pass a compiler that checks those of libraries', { timeout: 180_000 }, () => {
  const consumer = createOtherProject(CONSUMER_DEPENDENCIES);
  onTestFinished(() => consumer.remove());
  consumer.write(
    'use.mts',
    "export { consumeEvents, streamSettings, type StreamEvent } from 'point-alarm-service/consumer';",
  );
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--noEmit', '--preserveSymlinks'];
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  consumer.run(process.execPath, [tsc, ...options, '--types', 'node', 'use.mts']);
});

/** The TypeScript that a document shows, with what it leaves out. */
const shownIn = (document: string): string => {
  const [shown] = programsIn(document);
  if (shown === undefined) throw new Error(`${document} shows no TypeScript`);
  return `${shown}\ndeclare const currentToken: () => string;\n`;
};
