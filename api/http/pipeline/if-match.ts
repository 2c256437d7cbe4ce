import * as E from 'fp-ts/Either';
import type { Reason } from '../../../workflows/domain/codecs';
import { REVISIONS } from '../../../workflows/domain/limits';

/** A strong ETag that a threshold can have. */
const ETAG = /^"(0|[1-9]\d{0,14})"$/u;

/** The ETag of a threshold at `revision`. */
export const etagOf = (revision: number): string => `"${revision}"`;

/**
 * The revisions that `If-Match` names, possibly none (RFC 9110, section 13.1.1): weak and foreign ETags match nothing. Absent, or `*`, which every threshold matches: no condition.
 */
export const revisionsOf = (ifMatch: string | undefined): E.Either<Reason, ReadonlyArray<number> | undefined> => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return E.right(undefined);
  const named = ifMatch.split(',').flatMap((etag) => ETAG.exec(etag.trim())?.[1] ?? []);
  const revisions = [...new Set(named.map(Number))];
  return revisions.length <= REVISIONS
    ? E.right(revisions)
    : E.left({ name: 'If-Match', reason: `must name at most ${REVISIONS} revisions` });
};
