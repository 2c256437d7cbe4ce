import * as E from 'fp-ts/Either';
import { decode, type Codec } from '../../workflows/domain/codecs';
import { rightOf } from './either';

/** The faults that `codec` finds in `input`, as `name: reason`; none when it decodes. */
export const reasonsOf = <A>(codec: Codec<A>, input: unknown): ReadonlyArray<string> => {
  const decoded = decode(codec, input);
  return E.isLeft(decoded) ? decoded.left.map(({ name, reason }) => `${name}: ${reason}`) : [];
};

/** What `codec` makes of an `input` that it must accept. */
export const decoded = <A>(codec: Codec<A>, input: unknown): A => rightOf(decode(codec, input));
