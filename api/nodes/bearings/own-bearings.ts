import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Log } from '../../../process/log';
import { indexBearings, type BearingIndex } from '../../../workflows/domain/rating/vibration/bearings/bearing-index';
import { bearingsFile } from '../../../workflows/domain/rating/vibration/bearings/bearings-file';
import { jsonDocument } from '../../../process/files/json-document';
import { watchFile } from '../../../process/files/watched-file';

/** The operator's own bearings, always current. */
export interface OwnBearings {
  readonly current: () => BearingIndex;
  readonly close: () => void;
}

/**
 * The bearings of `file` (docs/bearings.md), re-read when it changes.
 *
 * Errors: the file cannot be read, or a bearing contradicts itself; one line.
 */
export const createOwnBearings = ({
  file,
  log,
}: {
  readonly file: string;
  readonly log: Log;
}): E.Either<string, OwnBearings> =>
  watchFile({
    setting: 'BEARINGS_FILE',
    path: file,
    read: (text) => pipe(jsonDocument(bearingsFile)(text), E.map(indexBearings)),
    log,
  });
