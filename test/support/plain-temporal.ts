import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startChild, type Child } from '../../stack/child';
import { findTemporal } from '../../stack/find-temporal';
import { portChooser, testPort } from '../../stack/free-ports';
import { silent } from '../../stack/report';
import { waitUntil } from '../../stack/wait-until';
import { startWatchdog } from '../../stack/watchdog';

/** A Temporal server with its own default limits, as one finds it elsewhere; it can be taken away and brought back. */
export interface PlainTemporal {
  readonly address: string;
  /** Stops it for a while without ending it: connections stay, answers do not come. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly kill: () => Promise<void>;
  /** Starts it again on its port, with what it knew. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const startPlainTemporal = async (): Promise<PlainTemporal> => {
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-temporal-'));
  const watchdog = startWatchdog();
  watchdog.remove(folder);
  const ground = { report: silent, watchdog, signal: new AbortController().signal };
  const command = process.env['POINT_ALARM_TEMPORAL_CLI'] ?? (await findTemporal(process.env, ground)).path;
  const port = await portChooser('127.0.0.1')(testPort());
  const address = `127.0.0.1:${port}`;
  const start = async (): Promise<Child> => {
    const args = [
      ...['--disable-config-file', '--disable-config-env', 'server', 'start-dev', '--headless', '--log-level=error'],
      ...['--ip=127.0.0.1', `--port=${port}`, `--db-filename=${join(folder, 'temporal.db')}`],
      '--search-attribute=PointAlarmStatus=Int',
    ];
    const log = join(folder, 'temporal.log');
    const child = await startChild({ name: 'temporal', command, args, folder, env: process.env, log }, watchdog);
    const answers = async (): Promise<void> => {
      const connection = await Connection.connect({ address, connectTimeout: 2_000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
    };
    await waitUntil(answers, { what: 'Temporal', deadlineMs: 30_000, signal: ground.signal, child });
    return child;
  };
  let server = await start();
  return {
    address,
    freeze: () => {
      server.signal('SIGSTOP');
    },
    thaw: () => {
      server.signal('SIGCONT');
    },
    kill: async () => {
      await server.stop(0);
    },
    restart: async () => {
      server = await start();
    },
    stop: async () => {
      server.signal('SIGCONT');
      await server.stop(5_000);
      await watchdog.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
