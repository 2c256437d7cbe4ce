import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knownProcess } from '../../../process/pid-lock.cjs';
import { lockFolder } from '../../../dev/stack/supervise';
import { folderOfTest } from '../../support/temporary-folder';
import { quietGround } from './machine';

/** A process that lives until it is ended. */
const sleeper = () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

const deadPid = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
};

const held = (folder: string, supervisor: object, watchdog: object): void => {
  writeFileSync(join(folder, 'start.lock'), JSON.stringify([supervisor, watchdog]));
};

test.runIf(process.platform === 'linux')('another process with the id of a dead holder does not keep it', async () => {
  const folder = folderOfTest();
  const { pid = 0 } = sleeper();
  const earlier = { pid, born: '1' };
  held(folder, earlier, earlier);
  await lockFolder(folder, quietGround());
});

test('while the watchdog of a dead holder cleans up, the next one waits', async () => {
  const folder = folderOfTest();
  const watchdog = sleeper();
  held(folder, { pid: await deadPid(), born: '1' }, knownProcess(watchdog.pid ?? 0));
  let locked = false;
  const taking = lockFolder(folder, quietGround()).then(() => (locked = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(locked).toBe(false);
  watchdog.kill('SIGKILL');
  await taking;
});

test('of several at once one gets it', async () => {
  const folder = folderOfTest();
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder, quietGround())));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
