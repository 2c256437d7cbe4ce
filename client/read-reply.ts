import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Codec } from '../workflows/domain/codecs';
import { withoutUnknown } from '../workflows/domain/codecs/without-unknown';
import { isProblemType } from '../api/http/problems/catalogue';
import { ProblemView } from '../api/http/problems/problem-view';
import type { Reply } from './exchange';
import type { ProblemBody, Reason } from './failure';

/** The value in the body of a 200. Errors: Problem, StrangeAnswer. */
export const readValue = <A>(codec: Codec<A>, reply: Reply): E.Either<Reason, A> =>
  reply.status === 200
    ? pipe(
        decode(codec, withoutUnknown(codec.schema, reply.json)),
        E.mapLeft((faults) => strange(reply, faults.map(({ name, reason }) => `${name} ${reason}`).join('; '))),
      )
    : E.left(reasonOf(reply));

/** Nothing, of a 204. Errors: Problem, StrangeAnswer. */
export const readNothing = (reply: Reply): E.Either<Reason, void> =>
  reply.status === 204 ? E.right(undefined) : E.left(reasonOf(reply));

const reasonOf = (reply: Reply): Reason => {
  const body = decode(ProblemView, withoutUnknown(ProblemView.schema, reply.json));
  return E.isRight(body) && body.right.status === reply.status
    ? { _tag: 'Problem', type: typeOf(body.right), body: body.right, ...retryAfter(reply) }
    : strange(reply, 'it is neither what was asked for nor a problem');
};

const typeOf = ({ type }: ProblemBody) => {
  const name = type.replace(/^\/problems\//u, '');
  return isProblemType(name) ? name : 'other';
};

const strange = (reply: Reply, reason: string): Reason => ({
  _tag: 'StrangeAnswer',
  status: reply.status,
  reason,
  ...retryAfter(reply),
});

/** Seconds; a date, which only proxies send, is ignored. */
const retryAfter = (reply: Reply): { readonly retryAfter?: number } => {
  const seconds = reply.header('Retry-After');
  return seconds !== undefined && /^\d{1,9}$/u.test(seconds) ? { retryAfter: Number(seconds) } : {};
};
