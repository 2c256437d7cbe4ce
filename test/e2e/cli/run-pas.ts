import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/** What a command left behind. */
export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A command that runs. */
export interface Running {
  readonly process: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<Ended>;
}

export interface PasPlan {
  readonly checkout: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the built command; whatever it does, its token must not show. */
export const startPas = ({ checkout, folder, env }: PasPlan, args: ReadonlyArray<string>, input = ''): Running => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(checkout, 'dist/cli/main.js'), ...args], {
    cwd: folder,
    env: { PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then((): Ended => {
    const { POINT_ALARM_TOKEN: token = '' } = env;
    if (token !== '') expect(out + err).not.toContain(token);
    return { code: child.exitCode, out, err };
  });
  return { process: child, out: () => out, err: () => err, ended };
};

/** Runs the built command to its end. */
export const runPas = (plan: PasPlan, args: ReadonlyArray<string>, input?: string): Promise<Ended> =>
  startPas(plan, args, input).ended;

/** Waits until `is` says yes, at most `ms`. */
export const until = async (what: string, is: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> => {
  const end = performance.now() + ms;
  while (!(await is())) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await sleep(25);
  }
};
