import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { portChooser, testPort } from '../../../stack/free-ports';
import { waitUntil } from '../../../stack/wait-until';
import type { Place } from '../../../process/settings';
import { foundCommands } from '../found-commands';

/** A redis-server process of a test, which may be killed and started again on the same port. */
export interface RedisProcess extends Place {
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  readonly kill: () => Promise<void>;
  /** Starts it again, with more arguments than before where they are given. */
  readonly start: (...more: ReadonlyArray<string>) => Promise<void>;
  /** The answer to one command, by a connection of its own. */
  readonly ask: (...command: ReadonlyArray<string>) => Promise<unknown>;
}

/** Processes in a folder of their own, which goes when they are stopped. */
export interface RedisGround {
  readonly server: (...args: ReadonlyArray<string>) => Promise<RedisProcess>;
  /** A sentinel that watches `primary` as `main`, and takes it for dead after a time (ms). */
  readonly sentinel: (primary: Place, quorum: number, downAfterMs?: number) => Promise<RedisProcess>;
  readonly stop: () => Promise<void>;
}

const QUIET = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];
const chosen = portChooser('127.0.0.1');

export const redisGround = async (): Promise<RedisGround> => {
  const folder = await mkdtemp(join(tmpdir(), 'redis-servers-'));
  const running: RedisProcess[] = [];
  const started = async (port: number, args: ReadonlyArray<string>): Promise<RedisProcess> => {
    const one = processOf(port, args);
    running.push(one);
    await one.start();
    return one;
  };
  return {
    server: async (...args) => {
      const port = await chosen(testPort());
      const files = ['--dir', folder, '--dbfilename', `${port}.rdb`, '--cluster-config-file', `${port}-nodes.conf`];
      return started(port, ['--port', String(port), ...QUIET, ...files, ...args]);
    },
    sentinel: async ({ host, port: watched }, quorum, downAfterMs = 1_000) => {
      const port = await chosen(testPort());
      const file = join(folder, `sentinel-${port}.conf`);
      const config = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor main ${host} ${watched} ${quorum}`,
        `sentinel down-after-milliseconds main ${downAfterMs}`,
        'sentinel failover-timeout main 5000',
      ];
      await writeFile(file, `${config.join('\n')}\n`);
      return started(port, [file, '--sentinel']);
    },
    stop: async () => {
      await Promise.all(running.map(({ kill }) => kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const processOf = (port: number, args: ReadonlyArray<string>): RedisProcess => {
  let child: ChildProcess | undefined;
  const ask = async (...command: ReadonlyArray<string>): Promise<unknown> => {
    const client = createClient({
      url: `redis://127.0.0.1:${port}`,
      socket: { reconnectStrategy: false, connectTimeout: 1_000 },
    }).on('error', () => undefined);
    try {
      await client.connect();
      return await client.sendCommand([...command]);
    } finally {
      client.destroy();
    }
  };
  return {
    host: '127.0.0.1',
    port,
    ask,
    signal: (name) => void child?.kill(name),
    kill: async () => {
      const ended = child;
      child = undefined;
      if (ended === undefined) return;
      ended.kill('SIGKILL');
      await once(ended, 'exit');
    },
    start: async (...more) => {
      child = spawn(foundCommands(process.env).redis ?? 'redis-server', [...args, ...more], { stdio: 'ignore' });
      await waitUntil(() => ask('PING'), {
        what: `Redis at ${port}`,
        deadlineMs: 20_000,
        signal: new AbortController().signal,
      });
    },
  };
};
