import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { chromium, type Page } from 'playwright-core';
import { DEVELOPMENT_USER, developmentToken } from '../../stack/dev-auth';
import { onPath } from '../../stack/environment';
import { testPort } from '../../stack/free-ports';
import { projectRoot } from '../../stack/project-root';
import { reportedFault, reportTo, runEntry } from '../../stack/report';
import { entries } from '../../stack/service';
import { supervise } from '../../stack/supervise';
import { watchBoard } from './board';
import { drawOutage } from './outage';
import { fillPlant, IN_DANGER, PUMP } from './plant';

/**
 * Takes the screenshots of docs/images, by `npm run pictures`. It brings up a service of its own on free ports, fills it, and
 * looks at it with the Chromium and the Prometheus that are on PATH.
 */
const main = async (): Promise<number> => {
  const browser = onPath('chromium', process.env);
  if (browser === undefined) throw reportedFault('there is no chromium on PATH: on Debian, apt-get install chromium');
  const prometheus = onPath('prometheus', process.env);
  if (prometheus === undefined)
    throw reportedFault('there is no prometheus on PATH: on Debian, apt-get install prometheus');
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-screenshots-'));
  const done = new AbortController();
  const workerPort = testPort();
  let printed = '';
  let work = Promise.resolve();
  await supervise({
    env: { ...process.env, PORT: String(testPort()), WORKER_PORT: String(workerPort) },
    folder,
    entries,
    ports: { temporal: testPort(), ui: testPort(), redis: testPort() },
    interrupts: { first: done.signal, again: new AbortController().signal },
    report: reportTo(process.stdout),
    print: (line) => {
      printed += `${line}\n`;
      if (!line.startsWith('Ctrl-C')) return;
      const at = (name: string): string => new RegExp(`^${name} +([^\\s,]+)`, 'mu').exec(printed)?.[1] ?? '';
      const places = {
        api: at('API'),
        temporal: at('Temporal'),
        ui: at('Temporal UI'),
        redis: at('Redis'),
        worker: `http://127.0.0.1:${workerPort}`,
      };
      work = takeAll({ browser, prometheus }, folder, places).finally(() => {
        done.abort();
      });
    },
  });
  await work;
  return 0;
};

const takeAll = async (
  commands: { readonly browser: string; readonly prometheus: string },
  folder: string,
  { api, temporal, ui, redis, worker }: Readonly<Record<'api' | 'temporal' | 'ui' | 'redis' | 'worker', string>>,
): Promise<void> => {
  if (ui === '') throw reportedFault('TEMPORAL_ADDRESS is set, and its UI is not known: unset it');
  const token = await developmentToken(join(folder, 'dev-auth'), { user: DEVELOPMENT_USER, ttlSeconds: 600 });
  await fillPlant(api, token);
  const connection = await Connection.connect({ address: temporal });
  const id = `point-alarm-${PUMP}`;
  const { workflow } = new Client({ connection });
  const { runId } = await workflow.getHandle(id).describe();
  const query = 'PointAlarmStatus = 4 AND ExecutionStatus = "Running"';
  while ((await workflow.count(query)).count < IN_DANGER) await sleep(500); // Temporal's list shows a new status seconds later
  await connection.close();
  const workflows = `${ui}/namespaces/default/workflows`;
  const browser = await chromium.launch({ executablePath: commands.browser, args: QUIET });
  try {
    const list = await open(browser.newPage(shape(1_280, 640)), `${workflows}?query=${encodeURIComponent(query)}`);
    await list.getByText(id).first().waitFor();
    await list.waitForLoadState('networkidle').catch(() => undefined); // pages that poll are never idle
    await list.screenshot(fileOf('nodes-in-danger'));
    const node = await open(browser.newPage(shape(1_440, 1_720)), `${workflows}/${id}/${runId}/user-metadata`);
    const good = node.frameLocator('iframe').getByRole('heading', { name: 'GOOD' });
    await good.waitFor();
    const [page, alarms] = [await node.locator('iframe').boundingBox(), await good.boundingBox()];
    if (page === null || alarms === null) throw reportedFault('the page of the node shows no alarms');
    // The picture ends above the alarms that are GOOD.
    await node.screenshot({ ...fileOf('node-details'), clip: { ...page, height: alarms.y - page.y } });
  } finally {
    await browser.close();
  }
  const board = watchBoard(commands.prometheus, folder, api, worker);
  try {
    await sleep(15_000);
    await drawOutage(api, token, redis);
    await board.draw();
  } finally {
    await board.stop();
  }
};

const shape = (width: number, height: number) =>
  ({ viewport: { width, height }, colorScheme: 'light', timezoneId: 'UTC' }) as const;
const fileOf = (name: string) =>
  ({ path: join(projectRoot, 'docs', 'images', `${name}.png`), animations: 'disabled' }) as const;

/** Adds the column of the alarm status to the UI's list of workflows, as a user can do in the list's settings. */
const COLUMNS = `try {
  const columns = ['Status', 'Workflow ID', 'PointAlarmStatus'].map((label) => ({ label }));
  localStorage.setItem('namespace-workflow-table-columns', JSON.stringify({ default: columns }));
} catch { /* a page without storage */ }`;

const open = async (opening: Promise<Page>, url: string): Promise<Page> => {
  const page = await opening;
  page.setDefaultTimeout(30_000);
  await page.addInitScript(COLUMNS);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  return page;
};

const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

void runEntry(main);
