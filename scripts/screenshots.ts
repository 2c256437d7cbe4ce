import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DEVELOPMENT_USER, developmentToken } from './dev-auth/development-token';
import { runEntry } from './run-entry';
import { fill, PUMP } from './screenshots/plant';
import { takePictures, type Picture } from './screenshots/pictures';
import { fault } from './stack/fault';
import { portChooser, testPort } from './stack/free-ports';
import type { NodePart } from './stack/node-part';
import { reportTo } from './stack/report';
import { onPath } from './stack/run-command';
import { bringUpServers } from './stack/servers';
import { startWatchdog } from './stack/watchdog';
import { entries } from './start/entries';
import { partEnvironment } from './start/part-environment';
import { startParts } from './start/start-parts';

/**
 * Takes the pictures of docs/images, by hand after `npm run build`: `npx tsx scripts/screenshots.ts`. It brings up a service
 * of its own on free ports, fills it, and looks at it with the Chromium that is on PATH.
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
  const started: NodePart[] = [];
  try {
    const { env } = await partEnvironment(process.env, servers, folder);
    const listen = { host: '127.0.0.1', port: testPort(), workerPort: testPort() };
    const onStart = (part: NodePart): void => void started.push(part);
    const { base } = await startParts({ entries, listen, env, logs: folder, readyWithinMs: 60_000, onStart }, ground);
    await fill(base, await developmentToken(join(folder, 'dev-auth'), { user: DEVELOPMENT_USER, ttlSeconds: 600 }));
    const { temporal } = servers;
    if (temporal.ui === undefined) throw fault('TEMPORAL_ADDRESS is set, and its UI is not known: unset it');
    await takePictures(browser, await picturesOf(base, temporal.ui, temporal.address));
  } finally {
    for (const part of started) await part.stop(5_000);
    await servers.stop();
    await watchdog.close();
  }
  return 0;
};

const picturesOf = async (base: string, ui: string, address: string): Promise<ReadonlyArray<Picture>> => {
  const connection = await Connection.connect({ address });
  const id = `point-alarm-${PUMP}`;
  const { runId } = await new Client({ connection }).workflow.getHandle(id).describe();
  await connection.close();
  const workflows = `${ui}/namespaces/default/workflows`;
  const query = encodeURIComponent('PointAlarmStatus = 4 AND ExecutionStatus = "Running"');
  const docs = await (await fetch(`${base}/docs`)).text();
  return [
    { name: 'nodes-in-danger', url: `${workflows}?query=${query}`, shows: id, height: 640 },
    {
      name: 'node',
      url: `${workflows}/${id}/${runId}/user-metadata`,
      shows: 'Threshold revision',
      inFrame: true,
      height: 1_420,
    },
    { name: 'node-history', url: `${workflows}/${id}/${runId}/history`, shows: 'Update Completed', height: 900 },
    ...(docs.includes('swagger-ui')
      ? [{ name: 'docs', url: `${base}/docs`, shows: 'Replace the threshold', height: 900 }]
      : []),
  ];
};

void runEntry(main);
