import type { IncomingHttpHeaders } from 'node:http';
import { type Reason, shortened } from '../../workflows/domain/codecs';
import { REVISIONS } from '../../workflows/domain/limits';
import { NEVER_SET, type Precondition } from '../../workflows/domain/threshold/precondition';

export interface Conditions {
  /** The revisions that the node compares with its threshold's revision. */
  readonly revisions: Precondition;
  /** A tag in `If-Match` that is no ETag of this service. */
  readonly foreignTag?: string;
}

/** `STRONG`: the ETags that a threshold can have. `WEAK`: also those with the prefix `W/`, which a weak comparison ignores. */
const STRONG = /^"(0|[1-9]\d{0,14})"$/u;
const WEAK = /^(?:W\/)?"(0|[1-9]\d{0,14})"$/u;

const TAG_LENGTH = 64;

export const etagOf = (revision: number): string => `"${revision}"`;

/**
 * The preconditions of a call (RFC 9110, section 13.1). `If-Match` counts only for a write, and compares strongly.
 * `If-None-Match` compares weakly. `*` matches every threshold that was ever set.
 */
export const conditionsOf = (headers: IncomingHttpHeaders, writes: boolean): Conditions => {
  const match = writes ? headers['if-match'] : undefined;
  const noneMatch = headers['if-none-match'];
  const tags = tagsOf(match);
  const named = tags === undefined ? undefined : revisionsIn(tags, STRONG);
  const ifMatch = isAny(noneMatch) ? (named ?? [NEVER_SET]).filter((revision) => revision === NEVER_SET) : named;
  const ifNoneMatch = [...(isAny(match) ? [NEVER_SET] : []), ...revisionsIn(tagsOf(noneMatch) ?? [], WEAK)];
  const foreignTag = tags?.find((tag) => !STRONG.test(tag));
  return {
    revisions: { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch.length > 0 && { ifNoneMatch }) },
    ...(foreignTag !== undefined && { foreignTag: shortened(foreignTag, TAG_LENGTH) }),
  };
};

/** The form of `If-Match` and `If-None-Match`: at most as many tags as a node takes revisions. */
export const TAGS_PATTERN = `^[^,]*(?:,[^,]*){0,${REVISIONS - 1}}$`;
const TAGS = new RegExp(TAGS_PATTERN, 'u');

export const faultsOf = (headers: IncomingHttpHeaders): ReadonlyArray<Reason> =>
  ['If-Match', 'If-None-Match']
    .filter((name) => !TAGS.test(String(headers[name.toLowerCase()] ?? '')))
    .map((name) => ({ name, reason: `must name at most ${REVISIONS} ETags` }));

/** Says why the conditions do not hold for a threshold at `revision`. */
export const detailOfFailed = (revision: number, foreignTag?: string): string => {
  const at = revision === NEVER_SET ? 'No threshold was ever set.' : `The threshold is at revision ${revision}.`;
  return foreignTag === undefined
    ? at
    : `${at} If-Match has ${foreignTag}, which is no ETag of this service: they are strong, such as "3". A proxy that compresses answers changes them: let it compress none that has an ETag.`;
};

const isAny = (field: string | undefined): boolean => field?.trim() === '*';

/** The tags in a header field; undefined if the field is absent or `*`. */
const tagsOf = (field: string | undefined): ReadonlyArray<string> | undefined =>
  field === undefined || isAny(field)
    ? undefined
    : field
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '');

const revisionsIn = (tags: ReadonlyArray<string>, form: RegExp): ReadonlyArray<number> => [
  ...new Set(tags.flatMap((tag) => form.exec(tag)?.[1] ?? []).map(Number)),
];
