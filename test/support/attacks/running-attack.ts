import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Seen, Target } from './attacks';

/** An attack in flight, in a process of its own that ends with this one. */
export type RunningAttack = { readonly seen: () => Promise<Seen>; readonly stop: () => Promise<void> };

export const startAttack = (name: string, target: Target, connections: number): RunningAttack => {
  const args = ['--import', 'tsx', join(__dirname, 'attacker.ts'), name, JSON.stringify(target), String(connections)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  return {
    seen: async () => {
      child.stdin.write('\n');
      const [line] = await once(lines, 'line');
      return JSON.parse(String(line));
    },
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
};
