import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { createLocalJWKSet } from 'jose';
import type { Log } from '../../process/log';
import { fittingKeys } from './fitting-keys';
import { createKeySetReader } from './jwks';
import { keySetUnavailable, type KeySet } from './key-set';
import { watchFile } from '../../process/files/watched-file';

/**
 * The key set of a file, re-read when it changes.
 *
 * Errors: the file cannot be read, or is no key set; one line.
 */
export const createFileKeySet = (options: { readonly file: string; readonly log: Log }): E.Either<string, KeySet> => {
  let versions = 0;
  const readKeys = createKeySetReader(options.log);
  const read = (text: string) =>
    pipe(
      readKeys(text),
      E.map((keys) => ({ select: createLocalJWKSet({ keys: [...keys] }), version: (versions += 1) })),
    );
  return pipe(
    watchFile({ setting: 'AUTH_JWKS_FILE', path: options.file, read, log: options.log }),
    E.map(({ current, close }) => ({
      keysFor: (hint) =>
        TE.tryCatch(
          () => fittingKeys(current().select, hint),
          () => keySetUnavailable,
        ),
      version: () => current().version,
      age: () => 0, // the file is watched
      close,
    })),
  );
};
