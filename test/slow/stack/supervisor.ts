import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createLog } from '../../../process/log';
import { listenForInterrupts } from '../../../dev/stack/interrupts';
import { runEntry, reportTo } from '../../../dev/stack/report';
import { supervise } from '../../../dev/stack/supervise';

const self = (...args: ReadonlyArray<string>): ReadonlyArray<string> => ['--require', 'tsx/cjs', __filename, ...args];

/** What `npm start` runs, with fake parts: `supervisor.ts <data folder> <Temporal port> <UI port> <Redis port>`. */
const superviseFakes = async (folder: string, ports: ReadonlyArray<string>): Promise<number> => {
  const [temporal = 0, ui = 0, redis = 0] = ports.map(Number);
  await supervise({
    env: process.env,
    folder,
    entries: { worker: self('worker'), api: self('api') },
    ports: { temporal, ui, redis },
    interrupts: listenForInterrupts(false),
    report: reportTo(process.stdout),
    print: (line) => process.stdout.write(`${line}\n`),
  });
  return 0;
};

/**
 * Stands for the worker or the API: ready at /readyz, and notes in FAKE_JOURNAL what happens to it. It exits with code 3 when
 * /crash is called; FAKE_STUBBORN=<name> makes it deaf to SIGTERM.
 */
const fakePart = (name: string): void => {
  const { FAKE_JOURNAL = '', FAKE_STUBBORN, PORT, WORKER_PORT } = process.env;
  const log = createLog({ level: 'info', process: name });
  const note = (what: string): void => appendFileSync(FAKE_JOURNAL, `${name} ${what}\n`);
  if (name === 'api' && process.env['FAKE_TAKEN'] === PORT)
    throw new Error(`listen EADDRINUSE: address already in use ${PORT}`);
  const server = createServer(({ url }, response) => {
    if (url === '/crash') process.exit(3);
    if (url === '/warn') log.warn(`${name} is worried`);
    response.end(url === '/environment' ? JSON.stringify(process.env) : 'ok');
  });
  server.listen(Number(name === 'api' ? PORT : WORKER_PORT), '127.0.0.1', () => note('listens'));
  process.on('SIGTERM', () => {
    note('stops');
    if (FAKE_STUBBORN !== name) process.exit(0);
  });
};

const [first = '', ...rest] = process.argv.slice(2);
if (rest.length === 0) fakePart(first);
else void runEntry(() => superviseFakes(first, rest));
