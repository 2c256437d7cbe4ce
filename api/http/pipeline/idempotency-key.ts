import * as E from 'fp-ts/Either';
import type { Reason } from '../../../workflows/domain/codecs';
import { REQUEST_ID_LENGTH } from '../../../workflows/domain/limits';

const VISIBLE = new RegExp(`^[\\x21-\\x7e]{1,${REQUEST_ID_LENGTH}}$`, 'u');

/** The key by which a repeat of a call is known, where the caller gave one. */
export const idempotencyKeyOf = (key: string | undefined): E.Either<Reason, string | undefined> =>
  key === undefined || VISIBLE.test(key)
    ? E.right(key)
    : E.left({ name: 'Idempotency-Key', reason: `must be 1 to ${REQUEST_ID_LENGTH} visible ASCII characters` });
