import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../log';

export interface WatchedFile<A> {
  /** The value of the last valid version of the file. */
  readonly current: () => A;
  readonly close: () => void;
}

interface WatchedFileOptions<A> {
  readonly setting: string;
  readonly path: string;
  readonly read: (text: string) => E.Either<string, A>;
  readonly log: Log;
}

/**
 * Reads the file, and then watches it. If a later version is unreadable or invalid, it is logged once, and the value of the
 * last valid version stays.
 *
 * It polls the file's inode, times and size once per second. Polling detects replaced files, changed links and mounted folders,
 * which file system notifications miss.
 * Errors: why the first version cannot be read, in one line.
 */
export const watchFile = <A>(options: WatchedFileOptions<A>): E.Either<string, WatchedFile<A>> =>
  pipe(
    E.tryCatch(
      () => ({ version: versionOf(statSync(options.path, { bigint: true })), bytes: readFileSync(options.path) }),
      whyUnreadable,
    ),
    E.bind('first', ({ bytes }) => readBytes(options, bytes)),
    E.map(({ version, first }) => keepReading(options, version, first)),
    E.mapLeft((reason) => `${options.setting} ${options.path} ${reason}`),
  );

const keepReading = <A>(options: WatchedFileOptions<A>, firstVersion: string, first: A): WatchedFile<A> => {
  const { setting, path, log } = options;
  let [current, seen, looking] = [first, firstVersion, false];
  let refused: string | undefined;
  const refuse = (reason: string): void => {
    if (reason !== refused) log.error({ setting, path, reason }, 'a new version is refused, the old one stays');
    refused = reason;
  };
  const checkFile = async (): Promise<void> => {
    // The version is taken before the file is read: after a write in between, the next look finds another version.
    const version = await stat(path, { bigint: true }).then(versionOf, whyUnreadable);
    if (version === seen) return void (refused = undefined);
    const bytes = await TE.tryCatch(() => readFile(path), whyUnreadable)();
    if (E.isLeft(bytes)) return void refuse(bytes.left); // `seen` stays, so the next look reads again
    seen = version;
    refused = undefined;
    const read = readBytes(options, bytes.right);
    if (E.isLeft(read)) return void refuse(read.left);
    current = read.right;
    log.info({ setting, path }, 'a new version is in force');
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void checkFile().finally(() => (looking = false));
  }, EVERY_MS).unref();
  return { current: () => current, close: () => clearInterval(timer) };
};

const EVERY_MS = 1_000;

const readBytes = <A>({ read }: WatchedFileOptions<A>, bytes: Uint8Array): E.Either<string, A> =>
  pipe(
    E.tryCatch(
      () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      () => 'is not UTF-8',
    ),
    E.chain(read),
  );

const versionOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join(' ');

const whyUnreadable = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' ? 'is not there' : `cannot be read (${String(code)})`;
};
