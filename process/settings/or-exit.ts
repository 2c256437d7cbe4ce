import * as E from 'fp-ts/Either';

/** The settings; or the faults, listed on standard error, and exit code 2. */
export const orExit = <A>(process: string, needed: E.Either<ReadonlyArray<string>, A>): A => {
  if (E.isRight(needed)) return needed.right;
  globalThis.process.stderr.write(faultList(process, needed.left));
  return globalThis.process.exit(2);
};

/** The faults, each once, for people. */
export const faultList = (process: string, faults: ReadonlyArray<string>): string =>
  [`The ${process} cannot start:`, ...[...new Set(faults)].map((fault) => `  - ${fault}`), ''].join('\n');
