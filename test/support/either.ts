import * as E from 'fp-ts/Either';

/** What came out right. A failure is one of the test, and says what came instead. */
export const rightOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(`it failed: ${JSON.stringify(result.left)}`);
  return result.right;
};

/** Why it failed. What came out right is a failure of the test. */
export const leftOf = <A>(result: E.Either<A, unknown>): A => rightOf(E.swap(result));
