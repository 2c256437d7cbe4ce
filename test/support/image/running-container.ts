import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandLine } from './engine';

/** A container that runs in the foreground. */
export interface RunningContainer {
  /** What it wrote so far. */
  readonly said: () => string;
  /** SIGTERM; its exit code, once it has ended. */
  readonly stop: () => Promise<number | null>;
  /** Its exit code, once it has ended by itself. */
  readonly exited: Promise<number | null>;
}

export const startContainer = ({ command, args }: CommandLine): RunningContainer => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  return {
    said: () => said,
    exited,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
};
