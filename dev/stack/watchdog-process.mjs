// The watchdog ends its supervisor's process groups once its input ends: when the supervisor has ended in any way. Input:
// "watch <pid>", "release <pid>", "remove <path>" (a file or folder to remove once all is ended), "forget <path>".
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const groups = new Set();
const leftovers = new Set();
const GRACE_MS = 3_000;

const signal = (group, name) => {
  try {
    process.kill(-group, name);
    return true;
  } catch {
    return false;
  }
};

const end = async () => {
  for (const group of groups) signal(group, 'SIGTERM');
  const deadline = Date.now() + GRACE_MS;
  while (Date.now() < deadline && [...groups].some((group) => signal(group, 0))) await delay(50);
  for (const group of groups) signal(group, 'SIGKILL');
  for (const path of leftovers) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
};

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [word, rest] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
  if (word === 'watch') groups.add(Number(rest));
  if (word === 'release') groups.delete(Number(rest));
  if (word === 'remove') leftovers.add(rest);
  if (word === 'forget') leftovers.delete(rest);
});
lines.on('close', () => void end());
