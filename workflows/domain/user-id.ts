import * as t from 'io-ts';
import { codec, fault, type Codec } from './codecs';
import { USER_ID_LENGTH } from './limits';

const PRINTABLE = /^\P{C}+$/u;

/** The caller: 1 to 256 printable characters. */
export const UserId: Codec<string> = codec(
  'user id',
  { type: 'string', minLength: 1, maxLength: USER_ID_LENGTH },
  (input, context) =>
    typeof input === 'string' && input.length <= USER_ID_LENGTH && PRINTABLE.test(input)
      ? t.success(input)
      : t.failures([fault(input, context, `must be text of 1 to ${USER_ID_LENGTH} printable characters`)]),
);
