import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../../dev/stack/free-ports';
import { entries } from '../../../../dev/stack/service';
import { exchange } from '../../../support/api/call';
import { createCallers } from '../../../support/api/callers';
import { cutAtEachByte, endings, type Ending, sendAll, strangeTexts } from '../../../support/api/hostile-sockets';
import { forFile } from '../../../support/for-file';
import { runNode, type RunningProcess } from '../../../support/run-node';
import { watchProcess } from '../../../support/watch-process';

/** Longest time (ms) that the settings below leave a connection, with room for a busy machine. */
const LONGEST_MS = 30_000;

const callers = forFile(createCallers, ({ remove }) => remove());

const settingsOf = (port: number) => ({
  PATH: process.env['PATH'],
  PORT: String(port),
  WORKER_PORT: String(port),
  AUTH_JWKS_FILE: callers.jwksFile,
  GRANTS_FILE: callers.grantsFile,
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  TEMPORAL_TASK_QUEUE: 'hostile-sockets',
  REDIS_URL: inject('redisUrl'),
  CALL_DEADLINE_MS: '1000',
  HEADERS_TIMEOUT_MS: '1000',
  REQUEST_TIMEOUT_MS: '1500',
  KEEP_ALIVE_TIMEOUT_MS: '1500',
  SOCKET_TIMEOUT_MS: '2000',
  DRAIN_MS: '0',
  SHUTDOWN_DEADLINE_MS: '2500',
});

describe.each(['api', 'worker'] as const)('the %s', (name) => {
  let running: RunningProcess;
  let port: number;
  let watch: ReturnType<typeof watchProcess>;
  beforeAll(async () => {
    port = await freePort();
    running = runNode(entries[name], settingsOf(port));
    const isReady = () => exchange({ port }, 'GET', '/readyz', {}).then(({ status }) => status === 200);
    await vi.waitUntil(() => isReady().catch(() => false), 60_000);
    watch = watchProcess(running, port);
  });
  afterAll(() => running.stop());

  describe.each(Object.keys(endings) as Ending[])('is left as it was by connections that end by %s', (ending) => {
    const leavesNothing = async (texts: ReadonlyArray<string | Buffer>): Promise<void> => {
      const { close } = await sendAll(port, texts, ending);
      onTestFinished(close);
      await watch.expectWell(LONGEST_MS);
    };

    test.each(Object.entries(strangeTexts))('after %s', (_, texts) => leavesNothing(texts));
    test('after a write that is cut at any byte', async () => leavesNothing(await cutAtEachByte(callers)));
  });

  test('ends in order while tunnels are held open', async () => {
    const { close } = await sendAll(port, strangeTexts['a tunnel'] ?? [], 'silence');
    onTestFinished(close);
    running.signal('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(running.err()).toBe('');
  });
});
