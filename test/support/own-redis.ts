import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from 'redis';
import { portChooser, testPort } from '../../stack/free-ports';
import { openWay } from './way';
import { eventually } from '../integration/workflows/nodes';

/** A Redis that a test may hang, and a way to it that a test may cut. */
export interface OwnRedis {
  readonly url: string;
  /** An address that leads to the same Redis. */
  readonly urlByWay: string;
  readonly client: ReturnType<typeof clientOf>;
  /** Ends all connections on the way, and those to come, or lets them through again. */
  readonly cutWay: (isCut: boolean) => void;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  readonly stop: () => Promise<void>;
}

const clientOf = (url: string) => createClient({ url });

export const startOwnRedis = async (): Promise<OwnRedis> => {
  const chooser = portChooser('127.0.0.1');
  const [port, wayPort] = [await chooser(testPort()), await chooser(testPort())];
  const url = `redis://127.0.0.1:${port}`;
  const server = spawn(
    process.env['POINT_ALARM_REDIS_SERVER'] ?? 'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  const client = clientOf(url);
  client.on('error', () => undefined);
  await client.connect();
  await eventually(
    () => client.ping(),
    (answer) => answer === 'PONG',
  );
  const way = await openWay(wayPort, port);
  return {
    url,
    urlByWay: `redis://127.0.0.1:${wayPort}`,
    client,
    cutWay: way.cut,
    signal: (name) => void server.kill(name),
    stop: async () => {
      client.destroy();
      way.close();
      server.kill('SIGKILL');
      await once(server, 'exit');
    },
  };
};
