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

/** The members of a command that make its precondition: each one revision, or several. `If-Match: *` excludes one more. */
export const precondition = { ifMatch: revisions(REVISIONS), ifNoneMatch: revisions(REVISIONS + 1) };

/** The condition of a call on the revision of the threshold: it must be one of the first, and none of the second. */
export type Precondition = { readonly [Name in keyof typeof precondition]?: ReadonlyArray<number> };

/** Whether the condition holds at the revision `at`; one that was not given does. */
export const holds = ({ ifMatch, ifNoneMatch }: Precondition, at: number): boolean =>
  ifMatch?.includes(at) !== false && ifNoneMatch?.includes(at) !== true;
