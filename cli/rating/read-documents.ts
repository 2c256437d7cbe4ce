import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { TextDecoder } from 'node:util';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { readJson } from '../../process/json/read-json';
import { reasonOf } from '../../process/reason-of';
import { decode, type Codec, type Reason } from '../../workflows/domain/codecs';
import { CommandError, unusable } from '../command-failure';
import { decoderFor, NO_TEXT } from '../encoding';
import type { Surroundings } from '../surroundings';

/** A document of a file, or what is wrong with it: one line for each fault, with the file, the line and the field. */
export type Document<A> = E.Either<ReadonlyArray<string>, A>;

/**
 * The documents of `file`, one at a time: one that may span many lines, or one on each line where the first line is one by
 * itself. `-` is standard input. Empty lines are passed over.
 *
 * Errors: it throws a `CommandError` where the file cannot be read.
 */
export async function* readDocuments<A>(
  { folder }: Pick<Surroundings, 'folder'>,
  file: string,
  codec: Codec<A>,
): AsyncGenerator<Document<A>> {
  const documentOf = (place: string, text: string): Document<A> =>
    pipe(
      readJson(Buffer.from(text)),
      E.mapLeft((fault) => [syntaxFault(place, text) ?? lineOf(place, fault)]),
      E.chain(({ value, faults }) => {
        const decoded = decode(codec, value);
        if (E.isRight(decoded) && faults.length === 0) return decoded;
        const reasons = E.isLeft(decoded) ? decoded.left : [];
        const more = faults.filter(({ name }) => !reasons.some((reason) => reason.name === name));
        return E.left([...reasons, ...more].map((reason) => lineOf(place, reason)));
      }),
    );
  let whole: string[] | undefined;
  let line = 0;
  for await (const text of linesOf(folder, file)) {
    line += 1;
    if (whole !== undefined) whole.push(text);
    else if (text.trim() === '') continue;
    else if (line === 1 && !isJson(text)) whole = [text];
    else yield documentOf(`${file}, line ${line}`, text);
  }
  if (whole !== undefined) yield documentOf(file, whole.join('\n'));
}

/** Where `text` stops to be JSON, and why; undefined where it is JSON. */
const syntaxFault = (place: string, text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `${place}${lineIn(text, reasonOf(error))} is not JSON: ${reasonOf(error)}`;
  }
};

/** The line of a fault, which the reason names by its position; nothing where it names none, or in a single line. */
const lineIn = (text: string, reason: string): string => {
  const position = /position (\d+)/u.exec(reason)?.[1];
  return position === undefined || !text.includes('\n')
    ? ''
    : `, line ${text.slice(0, Number(position)).split('\n').length}`;
};

const isJson = (text: string): boolean => E.isRight(E.tryCatch((): unknown => JSON.parse(text), String));

const lineOf = (place: string, { name, reason }: Reason): string => `${place}: ${name === '' ? 'it' : name} ${reason}`;

async function* linesOf(folder: string, file: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let rest: string[] = []; // the parts of the line that has not ended: a long one has many
  try {
    const stream = file === '-' ? process.stdin : createReadStream(resolve(folder, file));
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      decoder ??= decoderFor(chunk);
      const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
      rest.push(end);
      const begun = lines.pop();
      if (begun === undefined) continue;
      yield rest.join('');
      yield* lines;
      rest = [begun];
    }
    rest.push(decoder?.decode() ?? '');
  } catch (thrown) {
    const isEncoding = thrown instanceof TypeError; // of the decoder
    throw new CommandError(unusable(isEncoding ? `${file} ${NO_TEXT}` : `${file} cannot be read: ${reasonOf(thrown)}`));
  }
  const last = rest.join('');
  if (last !== '') yield last;
}
