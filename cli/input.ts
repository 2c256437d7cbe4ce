import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { TextDecoder } from 'node:util';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { jsonDocument, readJson } from '../process/json';
import { reasonOf } from '../process/reason-of';
import { decode, reasonInWords, uuid, type Codec, type Reason } from '../workflows/domain/codecs';
import { withoutBraces } from './arguments';
import { CommandFailure, unusable, wasInterrupted } from './failure';
import type { CommandContext } from './command-context';

/*
 * Functions that read the files of commands; `-` means standard input. They throw a `CommandFailure` if a file cannot be read
 * or holds no text. They limit the size, because a device or a pipe may never end.
 */

type Folder = Pick<CommandContext, 'folder'> & Partial<Pick<CommandContext, 'interrupted'>>;

const MIB = 1_048_576;
/** Size limit of one document: the largest body that the API can be configured to take. */
const DOCUMENT_BYTES = 16 * MIB;
const FILE_BYTES = 256 * MIB;

/** The message about a file that cannot be decoded, or whose NUL characters show that it has another encoding. */
export const NO_TEXT = 'is no text in UTF-8: save it as UTF-8, in a spreadsheet as "CSV UTF-8"';

async function* chunksOf(
  { folder, interrupted }: Folder,
  file: string,
  bounded: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    const stream = file === '-' ? process.stdin : streamOf(resolve(folder, file));
    if (interrupted !== undefined) addAbortSignal(interrupted, stream);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bounded(chunk.length);
      yield chunk;
    }
  } catch (thrown) {
    if (interrupted?.aborted === true) throw wasInterrupted();
    throw thrown instanceof CommandFailure ? thrown : unusable(`${file} cannot be read: ${reasonOf(thrown)}`);
  }
}

/** Opens a file. A named pipe must not block: a thread that waits for the pipe's writer would keep the process from ending. */
const streamOf = (path: string) =>
  statSync(path).isFIFO()
    ? new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
    : createReadStream(path);

/** Spreadsheets may save UTF-16, with a byte order mark as the first two bytes. Any other file is decoded as UTF-8. */
const decoderFor = ([first, second]: Uint8Array): TextDecoder => {
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true });
};

const upTo = (most: number, file: string): ((bytes: number) => void) => {
  let all = 0;
  return (bytes) => {
    all += bytes;
    if (all > most) throw unusable(`${file} cannot be read: it has more than ${most / MIB} MiB`);
  };
};

export const readBytes = async (from: Folder, file: string, most = FILE_BYTES): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(from, file, upTo(most, file))) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const readText = async (from: Folder, file: string, most?: number): Promise<string> => {
  const bytes = await readBytes(from, file, most);
  return decoded(file, () => decoderFor(bytes).decode(bytes));
};

const decoded = (file: string, decoding: () => string): string => {
  try {
    return decoding();
  } catch {
    throw unusable(`${file} ${NO_TEXT}`);
  }
};

/** Reads the JSON document in `file`, as strictly as the API reads the body of a call. */
export const readDocument = async (from: Folder, file: string): Promise<unknown> => {
  const read = readJson(Buffer.from(await readText(from, file, DOCUMENT_BYTES)));
  const faults = E.isLeft(read) ? [read.left] : read.right.faults;
  if (E.isLeft(read) || faults.length > 0) throw unusable(`${file}: ${faults.map(reasonInWords).join(', ')}`);
  return read.right.value;
};

/** Reads a configuration file, such as the hierarchy of nodes, by the codec that the processes of the service use for it. */
export const readConfiguration = async <A>(from: Folder, file: string, codec: Codec<A>): Promise<A> => {
  const read = jsonDocument(codec)(await readText(from, file));
  if (E.isLeft(read)) throw unusable(`${file} ${read.left}`);
  return read.right;
};

/** Reads the ids of nodes in `file`, one per line. Empty lines, and text after a `#`, are ignored. */
export const readNodes = async (from: Folder, file: string): Promise<ReadonlyArray<string>> => {
  const lines = (await readText(from, file)).split('\n');
  return lines.flatMap((line, at) => {
    const named = line.replace(/#.*/u, '').trim();
    if (named === '') return [];
    const node = decode(uuid, withoutBraces(named));
    if (E.isLeft(node)) throw unusable(`${file}, line ${at + 1}: a node is a UUID`);
    return [node.right];
  });
};

/** The ids of nodes that a command names, as arguments (`given`) and in the file `listed`, without duplicates. */
export const namedNodes = async (from: Folder, given: ReadonlyArray<string> = [], listed?: string) => [
  ...new Set([...given, ...(listed === undefined ? [] : await readNodes(from, listed))]),
];

/** A document, or one text per fault. A text names the file and, where they are known, the line and the field. */
type Document<A> = E.Either<ReadonlyArray<string>, A>;

/**
 * Reads the documents in `file`, one at a time. If the first line with text is valid JSON by itself, every line holds a
 * document; otherwise the whole file is one document. Empty lines are ignored.
 */
export async function* readDocuments<A>(from: Folder, file: string, codec: Codec<A>): AsyncGenerator<Document<A>> {
  let whole: string[] | undefined;
  let line = 0;
  let hasBegun = false;
  const bounded = upTo(DOCUMENT_BYTES, file);
  for await (const text of linesOf(from, file)) {
    line += 1;
    if (whole === undefined && text.trim() === '') continue;
    if (!hasBegun && syntaxFault(text) !== undefined) whole = Array.from({ length: line - 1 }, () => '');
    hasBegun = true;
    if (whole === undefined) yield documentIn(`${file}, line ${line}`, text, codec);
    else {
      bounded(text.length + 1);
      whole.push(text);
    }
  }
  if (whole !== undefined) yield documentIn(file, whole.join('\n'), codec);
}

async function* linesOf(from: Folder, file: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let bounded = upTo(DOCUMENT_BYTES, file);
  let rest: string[] = []; // the pieces of the unfinished line; a long line comes in many chunks
  const chunks = chunksOf(from, file, (bytes) => bounded(bytes));
  for await (const chunk of chunks) {
    const decoding = (decoder ??= decoderFor(chunk));
    const [end = '', ...lines] = decoded(file, () => decoding.decode(chunk, { stream: true })).split('\n');
    rest.push(end);
    const begun = lines.pop();
    if (begun === undefined) continue;
    yield rest.join('');
    yield* lines;
    rest = [begun];
    bounded = upTo(DOCUMENT_BYTES, file);
  }
  rest.push(decoded(file, () => decoder?.decode() ?? ''));
  const last = rest.join('');
  if (last !== '') yield last;
}

const documentIn = <A>(place: string, text: string, codec: Codec<A>): Document<A> =>
  pipe(
    readJson(Buffer.from(text)),
    E.mapLeft((fault) => {
      const reason = syntaxFault(text);
      return [reason === undefined ? lineOf(place, fault) : `${place}${lineIn(text, reason)} is not JSON: ${reason}`];
    }),
    E.chain(({ value, faults }) => {
      const decoded = decode(codec, value);
      if (E.isRight(decoded) && faults.length === 0) return decoded;
      const reasons = E.isLeft(decoded) ? decoded.left : [];
      const more = faults.filter(({ name }) => !reasons.some((reason) => reason.name === name));
      return E.left([...reasons, ...more].map((reason) => lineOf(place, reason)));
    }),
  );

/** The reason why `text` is not JSON, or undefined if it is JSON. */
const syntaxFault = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
};

/** Text such as `, line 3`, from the position that `reason` states. Empty if `reason` states none, or `text` is one line. */
const lineIn = (text: string, reason: string): string => {
  const position = /position (\d+)/u.exec(reason)?.[1];
  return position === undefined || !text.includes('\n')
    ? ''
    : `, line ${text.slice(0, Number(position)).split('\n').length}`;
};

const lineOf = (place: string, { name, reason }: Reason): string => `${place}: ${name === '' ? 'it' : name} ${reason}`;
