import * as c from '../codecs';
import { REVISIONS } from '../limits';

export const NEVER_SET = 0;

const revision = c.scalar(
  'revision',
  c.wholeNumber.schema,
  (input) => (c.wholeNumber.is(input) ? input : undefined),
  'must be a revision: an integer from 0',
);
const revisions = (most: number): c.Codec<ReadonlyArray<number>> => {
  const several = c.array(revision, most);
  const one = c.mapped(revision, (single) => [single]);
  return c.codec('revisions', {}, (input, context) => (Array.isArray(input) ? several : one).validate(input, context));
};

/** Members of a command: one revision, or several. `ifNoneMatch` has room for one more: the API adds 0 for `If-Match: *`. */
export const precondition = { ifMatch: revisions(REVISIONS), ifNoneMatch: revisions(REVISIONS + 1) };

/** The condition of a call on the threshold's revision: it must be one of `ifMatch`, and none of `ifNoneMatch`. */
export type Precondition = { readonly [Name in keyof typeof precondition]?: ReadonlyArray<number> };

/** Whether the condition holds at the revision `at`. A list that is absent always holds. */
export const isPreconditionMet = ({ ifMatch, ifNoneMatch }: Precondition, at: number): boolean =>
  ifMatch?.includes(at) !== false && ifNoneMatch?.includes(at) !== true;
