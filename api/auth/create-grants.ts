import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../process/log';
import type { Authorizer } from '../ports';
import type { NodeHierarchy } from './create-hierarchy';
import { grantsFile as grants } from './grants-file';
import { jsonDocument } from '../../process/files/json-document';
import { violations } from './violations';
import { watchFile } from '../../process/files/watched-file';

/**
 * Decides by the grants of a file, re-read when it changes.
 *
 * Errors: the file cannot be read, or does not hold grants; one line.
 */
export const createGrants = (options: {
  readonly grantsFile: string;
  readonly hierarchy: Pick<NodeHierarchy, 'parentOf'>;
  readonly log: Log;
}): E.Either<string, Authorizer & { readonly close: () => void }> =>
  pipe(
    watchFile({ setting: 'GRANTS_FILE', path: options.grantsFile, read: jsonDocument(grants), log: options.log }),
    E.map(({ current, close }) => ({
      violations: (userId, wanted) =>
        TE.fromIO(() => violations(current(), options.hierarchy.parentOf, userId, wanted)),
      close,
    })),
  );
