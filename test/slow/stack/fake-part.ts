import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createLog } from '../../../process/log';

/**
 * Stands for the worker or the API, as its argument says: ready at /readyz, and notes in FAKE_JOURNAL what happens to it.
 * It exits with code 3 when /crash is called; FAKE_STUBBORN=<name> makes it deaf to SIGTERM.
 */
const main = (name: string): void => {
  const { FAKE_JOURNAL = '', FAKE_STUBBORN, PORT, WORKER_PORT } = process.env;
  const log = createLog({ level: 'info', process: name });
  const note = (what: string): void => {
    appendFileSync(FAKE_JOURNAL, `${name} ${what}\n`);
  };
  const server = createServer(({ url }, response) => {
    if (url === '/crash') process.exit(3);
    if (url === '/warn') log.warn(`${name} is worried`);
    response.end(url === '/environment' ? JSON.stringify(process.env) : 'ok');
  });
  server.listen(Number(name === 'api' ? PORT : WORKER_PORT), '127.0.0.1', () => {
    note('listens');
  });
  process.on('SIGTERM', () => {
    note('stops');
    if (FAKE_STUBBORN !== name) process.exit(0);
  });
};

main(process.argv[2] ?? '');
