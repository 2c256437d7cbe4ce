import { join } from 'node:path';
import { expect } from 'vitest';
import { runNode, type RunningProcess } from '../../support/run-node';

/** What a command left behind. */
export type Ended = { readonly code: number | string | null; readonly out: string; readonly err: string };

export interface PasPlan {
  readonly checkout: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the built command; whatever it does, its token must not show. */
export const startPas = (
  { checkout, folder, env }: PasPlan,
  args: ReadonlyArray<string>,
  input = '',
): RunningProcess & { readonly ended: Promise<Ended> } => {
  const { PATH, HOME } = process.env;
  const { POINT_ALARM_TOKEN: token = '' } = env;
  const running = runNode([join(checkout, 'dist/cli/main.js'), ...args], { PATH, HOME, ...env }, { folder, input });
  const ended = running.exited.then((code): Ended => {
    if (token !== '') expect(running.said()).not.toContain(token);
    return { code, out: running.out(), err: running.err() };
  });
  return { ...running, ended };
};

/** Runs the built command to its end. */
export const runPas = (plan: PasPlan, args: ReadonlyArray<string>, input?: string): Promise<Ended> =>
  startPas(plan, args, input).ended;
