import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../stack/free-ports';
import { startServer } from '../../../stack/running';
import { openGround } from '../../support/ground';

test(
  'what answers at a port that somebody else took is not ours: it is begun again on another one',
  { timeout: 60_000 },
  async () => {
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
