import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { projectRoot } from '../../dev/stack/project-root';
import { hasRows, tableOf } from './rows';
import { startStack, type CalledStack, type Stack, type StackPlan } from './stack/stack';
import { followStream, type StreamTail } from './stack/stream-tail';

interface WhenUp {
  /** What is left to do before the stack takes calls. */
  readonly whenUp?: (stack: Stack) => Promise<void>;
}

/** What the tests of a file work with. */
type UnderTest<S extends CalledStack> = { readonly stack: () => S; readonly tail: () => StreamTail };

/** A stack for the tests of a file, and a consumer of its stream. The table of its scenarios is printed in the end. */
export const withStack = ({ whenUp, ...plan }: StackPlan & WhenUp = {}): UnderTest<Stack> =>
  withStackOf(async () => {
    const stack = await startStack(plan);
    await whenUp?.(stack);
    return stack;
  });

/** The same for a stack that `start` brings up. */
export const withStackOf = <S extends CalledStack>(start: () => Promise<S>): UnderTest<S> => {
  let running: { readonly stack: S; readonly tail: StreamTail } | undefined;
  beforeAll(async () => {
    const stack = await start();
    running = { stack, tail: followStream(() => stack.redisSettings, stack.stream) };
  });
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    // A file takes long: what failed is told at once, too.
    for (const { message } of task.result.errors ?? []) console.log(`${task.name}: ${message.slice(0, MOST_TOLD)}`);
    if (running !== undefined) keepLogs(running.stack.folder);
  });
  afterAll(async () => {
    if (hasRows()) console.log(tableOf());
    await running?.tail.close();
    await running?.stack.stop();
  });
  const present = (): NonNullable<typeof running> => {
    if (running === undefined) throw new Error('the stack is not up');
    return running;
  };
  return { stack: () => present().stack, tail: () => present().tail };
};

const MOST_TOLD = 5_000;

/** The logs of a stack in which a scenario failed, in `reports/`. */
const keepLogs = (folder: string): void => {
  const kept = join(projectRoot, 'reports', basename(folder));
  mkdirSync(kept, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith('.log')) cpSync(join(folder, name), join(kept, name));
  console.log(`the logs of the stack are in ${kept}`);
};
