import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { statOf } from '../../../process/pid-lock.cjs';
import { listensOn } from '../../../dev/stack/port-owner';
import { openGround } from '../../support/ground';

vi.mock('../../../dev/stack/port-owner', { spy: true });
// The test files of a worker share their modules: what was loaded before knows no mock, and what is loaded after needs none.
vi.resetModules();
afterAll(() => {
  vi.doUnmock('../../../dev/stack/port-owner');
  vi.resetModules();
});
const loadedRunning = () => import('../../../dev/stack/running.js');

test(
  'once it listens nobody looks for who listens there, however long it is not ready',
  { timeout: 60_000 },
  async () => {
    const { startServer } = await loadedRunning();
    const ground = openGround('waiting');
    onTestFinished(() => ground.close());
    const port = await freePort();
    const isFound = (): boolean => vi.mocked(listensOn).mock.results.some(({ value }) => value === true);
    let probes = 0;
    const probe = async (): Promise<void> => {
      if (isFound()) probes += 1;
      if (probes < 10) throw new Error('not yet');
    };
    const program = `require('node:net').createServer().listen(${port}, '127.0.0.1')`;
    const plan = { name: 'server', command: process.execPath, args: ['-e', program], env: process.env };
    const [log, url] = [join(ground.folder, 'log'), `127.0.0.1:${port}`];
    await startServer(async () => ({ ...plan, folder: ground.folder, log, url, port, probe }), ground);
    const found = vi.mocked(listensOn).mock.results.filter(({ value }) => value === true);
    expect(found).toHaveLength(1);
  },
);

test(
  'what answers at a port that somebody else took is not ours: it is begun again on another one',
  { timeout: 60_000 },
  async () => {
    const { startServer } = await loadedRunning();
    const ground = openGround('running');
    onTestFinished(() => ground.close());
    const foreign = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void foreign.close());
    await once(foreign, 'listening');
    const ports = [(foreign.address() as AddressInfo).port, await freePort()];
    const chosen: number[] = [];
    const own = await startServer(async () => {
      const port = ports[chosen.length]!;
      chosen.push(port);
      const program = `setTimeout(() => require('node:net').createServer().listen(${port}, '127.0.0.1'), 300)`;
      const probe = async (): Promise<void> => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect').finally(() => socket.destroy());
      };
      const [log, url] = [join(ground.folder, 'log'), `127.0.0.1:${port}`];
      const plan = { name: 'server', command: process.execPath, args: ['-e', program], env: process.env };
      return { ...plan, folder: ground.folder, log, url, port, probe };
    }, ground);
    expect(chosen).toEqual(ports);
    expect(own.url).toBe(`127.0.0.1:${ports[1]}`);
    expect(own.child().isRunning()).toBe(true);
  },
);

test('a process that has ended listens nowhere, also before its parent was told', async () => {
  const child = spawn(process.execPath, ['-e', ''], { detached: true, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  while (statOf(pid)?.state !== 'Z') continue; // without a pause, so that this process cannot be told
  expect(listensOn(pid, 1)).toBe(false);
});
