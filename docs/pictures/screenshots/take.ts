import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { chromium, type Page } from 'playwright-core';
import type { Child } from '../../../stack/child';
import { DEVELOPMENT_USER, developmentToken } from '../../../stack/dev-auth';
import { fault, reportTo, runEntry } from '../../../stack/report';
import { portChooser, testPort } from '../../../stack/free-ports';
import { projectRoot } from '../../../stack/project-root';
import { onPath } from '../../../stack/environment';
import { bringUpServers } from '../../../stack/servers';
import { serviceEnvironment, entries, startService } from '../../../stack/service';
import { startWatchdog } from '../../../stack/ground';
import { drawOutage } from './outage';
import { fill, PUMP } from './plant';

/**
 * Takes the screenshots of docs/images, by `npm run pictures`. It brings up a service of its own on free ports, fills it, and
 * looks at it with the Chromium that is on PATH.
 */
const main = async (): Promise<number> => {
  const browser = onPath('chromium', process.env);
  if (browser === undefined) throw fault('there is no chromium on PATH: on Debian, apt-get install chromium');
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-screenshots-'));
  const watchdog = startWatchdog();
  watchdog.remove(folder);
  const ground = { report: reportTo(process.stdout), watchdog, signal: new AbortController().signal };
  const choosePort = portChooser('127.0.0.1');
  const ports = { temporal: testPort(), ui: testPort(), redis: testPort() };
  const plan = { env: process.env, folder, logs: folder, keepRedis: 'memory', ports, choosePort } as const;
  const servers = await bringUpServers(plan, ground);
  const started: Child[] = [];
  try {
    const { env } = await serviceEnvironment(process.env, servers, folder);
    const listen = { host: '127.0.0.1', port: testPort(), workerPort: testPort() };
    const onStart = (child: Child): void => void started.push(child);
    const base = await startService({ entries, listen, env, logs: folder, readyWithinMs: 60_000, onStart }, ground);
    const token = await developmentToken(join(folder, 'dev-auth'), { user: DEVELOPMENT_USER, ttlSeconds: 600 });
    await fill(base, token);
    const top = await topPage({ ...env, POINT_ALARM_URL: base, POINT_ALARM_TOKEN: token });
    const { temporal } = servers;
    if (temporal.ui === undefined) throw fault('TEMPORAL_ADDRESS is set, and its UI is not known: unset it');
    await takePictures(browser, [top, ...(await picturesOf(temporal.ui, temporal.address))]);
    await drawOutage(base, token, servers.redis.url);
  } finally {
    for (const child of started) await child.stop(5_000);
    await servers.stop();
    await watchdog.close();
  }
  return 0;
};

const picturesOf = async (ui: string, address: string): Promise<ReadonlyArray<Picture>> => {
  const connection = await Connection.connect({ address });
  const id = `point-alarm-${PUMP}`;
  const { runId } = await new Client({ connection }).workflow.getHandle(id).describe();
  await connection.close();
  const workflows = `${ui}/namespaces/default/workflows`;
  const run = `${workflows}/${id}/${runId}`;
  const query = encodeURIComponent('PointAlarmStatus = 4 AND ExecutionStatus = "Running"');
  const details = {
    ...{ url: `${run}/user-metadata`, shows: 'Latest measurements', inFrame: true },
    ...{ width: 1_440, height: 1_720 },
  };
  return [
    { name: 'nodes-in-danger', url: `${workflows}?query=${query}`, shows: id, height: 640 },
    { name: 'node', ...details },
    { name: 'node-details', ...details, onlyFrame: true },
    { name: 'node-history', url: `${run}/history`, shows: 'Update Completed', height: 900 },
  ];
};

/** What `pas top` prints, as a page that looks like a terminal. */
const topPage = async (env: NodeJS.ProcessEnv): Promise<Picture> => {
  const command = [join(projectRoot, 'dist/cli/main.js'), 'top', '--once'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, cwd: projectRoot });
  const text = stdout.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const style = 'margin:0;padding:20px;height:100vh;background:#1e1e1e;color:#e6e6e6;font:13px/1.6 monospace';
  const page = `<body style="margin:0"><pre style="${style}">$ pas top\n${text}</pre></body>`;
  return {
    name: 'pas-top',
    url: `data:text/html;charset=utf-8,${encodeURIComponent(page)}`,
    shows: 'DANGER',
    width: 1_440,
    height: 350,
  };
};

/** A picture of a page: where it is, what must be there before it is taken, and how high it is (CSS pixels). */
interface Picture {
  readonly name: string;
  readonly url: string;
  /** A text that the page shows once it is complete. */
  readonly shows: string;
  readonly height: number;
  /** Absent: as wide as the others. */
  readonly width?: number;
  /** Whether only the frame is taken. */
  readonly onlyFrame?: boolean;
  /** Whether the text is in a frame of the page. */
  readonly inFrame?: boolean;
}

const WIDTH = 1_280;
const PATIENCE_MS = 30_000;

/** Takes `pictures` with the browser at `browserPath` and writes them to docs/images. */
const takePictures = async (browserPath: string, pictures: ReadonlyArray<Picture>): Promise<void> => {
  const browser = await chromium.launch({ executablePath: browserPath, args: QUIET });
  try {
    for (const picture of pictures) {
      const page = await browser.newPage({
        viewport: { width: picture.width ?? WIDTH, height: picture.height },
        colorScheme: 'light',
        timezoneId: 'UTC',
      });
      await take(page, picture);
      await page.close();
    }
  } finally {
    await browser.close();
  }
};

/** The list of workflows has a column of the alarm status, which a user adds by its settings. */
const COLUMNS = `try {
  const columns = ['Status', 'Workflow ID', 'PointAlarmStatus'].map((label) => ({ label }));
  localStorage.setItem('namespace-workflow-table-columns', JSON.stringify({ default: columns }));
} catch { /* a page without storage */ }`;

const take = async (page: Page, { name, url, shows, inFrame = false, onlyFrame = false }: Picture): Promise<void> => {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(COLUMNS);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await (inFrame ? page.frameLocator('iframe') : page).getByText(shows).first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined); // pages that poll are never idle
  const taken = onlyFrame ? page.locator('iframe') : page;
  await taken.screenshot({ path: join(projectRoot, 'docs', 'images', `${name}.png`), animations: 'disabled' });
};

const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

void runEntry(main);
