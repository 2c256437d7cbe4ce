import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { array, decode, object, text, type TypeOf } from '../../workflows/domain/codecs';
import { withoutUnknown } from '../../workflows/domain/wire/without-unknown';

const LONGEST = 65_536;
const MOST = 100_000;
const line = text(LONGEST);

const Body = object(
  'problem',
  { title: line },
  {
    detail: line,
    reasons: array(object('reason', { name: line, reason: line }, {}), MOST),
    violations: array(object('violation', { action: line, resource: line }, {}), MOST),
  },
);

/** What the API, or something in front of it, says of a call that failed. */
export type Problem = TypeOf<typeof Body> & { readonly status: number };

/** The problem in the body of an answer; an answer that is none has its status for a title. */
export const problemOf = (status: number, body: string): Problem =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(body),
      () => [],
    ),
    E.chain((json) => decode(Body, withoutUnknown(Body.schema, json))),
    E.match(
      () => ({ status, title: `The answer is ${status} without a problem document` }),
      (problem) => ({ status, ...problem }),
    ),
  );
