import * as E from 'fp-ts/Either';

/** What the process needs to start; or one readable list of the faults on standard error, and the end with code 2. */
export const orExit = <A>(process: string, needed: E.Either<ReadonlyArray<string>, A>): A => {
  if (E.isRight(needed)) return needed.right;
  globalThis.process.stderr.write(faultList(process, needed.left));
  return globalThis.process.exit(2);
};

export const faultList = (process: string, faults: ReadonlyArray<string>): string =>
  [`The ${process} cannot start:`, ...faults.map((fault) => `  - ${fault}`), ''].join('\n');
