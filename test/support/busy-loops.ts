import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Ends with the process that started it, whatever becomes of that. */
const LOOP = `const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e7; i += 1);`;

/** Keeps each core busy with `perCore` loops. Returns what ends them. */
export const startBusyLoops = (perCore: number): (() => Promise<void>) => {
  const loops = Array.from({ length: perCore * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }),
  );
  return async () => {
    const ended = loops.map((loop) => once(loop, 'exit'));
    for (const loop of loops) loop.kill('SIGKILL');
    await Promise.all(ended);
  };
};
