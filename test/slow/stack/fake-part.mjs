// Stands for the worker or the API: ready at /readyz, and notes in FAKE_JOURNAL what happens to it.
// FAKE_CRASH=<name> ends it with exit code 3 when /crash is called; FAKE_STUBBORN=<name> makes it deaf to SIGTERM.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

export const fakePart = (name, port) => {
  const note = (what) => appendFileSync(process.env.FAKE_JOURNAL, `${name} ${what}\n`);
  const server = createServer(({ url }, response) => {
    if (url === '/crash') process.exit(3);
    if (url === '/warn') console.log(JSON.stringify({ level: 40, msg: `${name} is worried` }));
    if (url === '/environment') return response.end(JSON.stringify(process.env));
    return response.end('ok');
  });
  server.listen(Number(port), '127.0.0.1', () => note('listens'));
  process.on('SIGTERM', () => {
    note('stops');
    if (process.env.FAKE_STUBBORN !== name) process.exit(0);
  });
};
