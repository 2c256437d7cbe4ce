import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Codec, type Reason } from '../../workflows/domain/codecs';

/** Reads a JSON text by a codec. Errors: one line that names the first fault and counts the others. */
export const jsonDocument =
  <A>(codec: Codec<A>) =>
  (text: string): E.Either<string, A> =>
    pipe(
      E.tryCatch(
        (): unknown => JSON.parse(text),
        () => 'is not JSON',
      ),
      E.chain((document) => pipe(decode(codec, document), E.mapLeft(inOneLine))),
    );

/** A fault of a document in one line: the field, where there is one, and why. */
export const inWords = ({ name, reason }: Reason): string => (name === '' ? reason : `${name} ${reason}`);

const inOneLine = (reasons: ReadonlyArray<Reason>): string => {
  const [first, ...others] = reasons.map(inWords);
  return `is not valid: ${first ?? 'no reason'}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
};
