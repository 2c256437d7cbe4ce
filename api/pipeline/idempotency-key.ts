import * as E from 'fp-ts/Either';
import type { Reason } from '../../workflows/domain/codecs';
import type { Caller } from '../route';
import { newRequestId } from './request-id';

const VISIBLE = /^[\x21-\x7e]{1,128}$/u;

/** By what a repeat of a call is known: the caller's key, or an id of this call alone. */
export const requestNameOf = (key: string | undefined): E.Either<Reason, Pick<Caller, 'requestId' | 'keyed'>> => {
  if (key === undefined) return E.right({ requestId: newRequestId(), keyed: false });
  return VISIBLE.test(key)
    ? E.right({ requestId: key, keyed: true })
    : E.left({ name: 'Idempotency-Key', reason: 'must be 1 to 128 visible ASCII characters' });
};
