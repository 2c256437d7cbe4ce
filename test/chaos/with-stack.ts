import { afterAll, beforeAll } from 'vitest';
import { hasRows, tableOf } from './rows';
import { startStack, type Stack, type StackPlan } from './stack/stack';
import { followStream, type StreamTail } from './stack/stream-tail';

interface WhenUp {
  /** What is left to do before the stack takes calls. */
  readonly whenUp?: (stack: Stack) => Promise<void>;
}

/** A stack for the tests of a file, and a consumer of its stream. The table of its scenarios is printed in the end. */
export const withStack = ({ whenUp, ...plan }: StackPlan & WhenUp = {}): {
  readonly stack: () => Stack;
  readonly tail: () => StreamTail;
} => {
  let running: { readonly stack: Stack; readonly tail: StreamTail } | undefined;
  beforeAll(async () => {
    const stack = await startStack(plan);
    await whenUp?.(stack);
    running = { stack, tail: followStream(stack.redisUrl, stack.stream) };
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
