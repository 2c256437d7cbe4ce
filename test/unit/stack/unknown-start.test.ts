import { spawn } from 'node:child_process';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { takeLock } from '../../../process/pid-lock.cjs';
import { folderOfTest } from '../../support/temporary-folder';
import { quietGround } from './machine';

const pidOf = vi.hoisted(() => ({ stranger: 0 }));

vi.mock('../../../process/pid-lock.cjs', async (original) => ({
  ...(await original<object>()),
  takeLock: vi.fn(),
  isAlive: ({ pid }: { readonly pid: number }) => pid === pidOf.stranger,
}));
// The test files of a worker share their modules: what was loaded before knows no mock, and what is loaded after needs none.
vi.resetModules();
afterAll(() => {
  vi.doUnmock('../../../process/pid-lock.cjs');
  vi.resetModules();
});

test('where the system does not show when a process began, none is ended for its id', async () => {
  const { lockFolder } = await import('../../../dev/stack/supervise.js');
  const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  pidOf.stranger = stranger.pid ?? 0;
  const [supervisor, watchdog, left] = [1e9, 1e9 + 1, pidOf.stranger].map((pid) => ({ pid, born: '' }));
  vi.mocked(takeLock).mockReturnValueOnce([supervisor!, watchdog!, left!]).mockReturnValueOnce(undefined);
  const lines: string[] = [];
  await lockFolder(folderOfTest(), quietGround(lines));
  expect(lines).toEqual([]);
  expect(stranger.signalCode).toBeNull();
});
