import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createLog } from '../../../process/log';
import { freePort } from '../../../dev/stack/free-ports';
import { installRuntime } from '../../../worker/sdk-metrics';

/** Installs the SDK's runtime where its first port is taken between its choice and its use, and prints whether metrics are served. */
const main = async (): Promise<void> => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = (other.address() as AddressInfo).port;
  const ports = [Promise.resolve(taken), freePort()];
  const log = createLog({ level: 'silent', process: 'test' });
  const metrics = await installRuntime(
    log,
    () => undefined,
    () => ports.shift() ?? freePort(),
  );
  console.log(typeof (await metrics()) === 'string' && ports.length === 0 ? 'served' : 'not served');
  process.exit(0);
};

void main();
