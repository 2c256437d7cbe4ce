import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, uuid } from '../workflows/domain/codecs';
import { withoutBraces } from './arguments';
import { readText, type Surroundings } from './surroundings';
import { unusable, type CommandFailure } from './command-failure';

/** The nodes in `file`, one a line; what follows a `#` and empty lines are passed over. */
export const readNodes = async (
  surroundings: Surroundings,
  file: string,
): Promise<E.Either<CommandFailure, ReadonlyArray<string>>> =>
  pipe(
    await readText(surroundings, file),
    E.chain((text) => nodesIn(file, text)),
  );

const nodesIn = (file: string, text: string): E.Either<CommandFailure, ReadonlyArray<string>> => {
  const lines = text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .map((line) => line.replace(/#.*/u, '').trim());
  const found = lines.map((line) => (line === '' ? E.right('') : decode(uuid, withoutBraces(line))));
  const bad = found.findIndex(E.isLeft);
  return bad >= 0
    ? E.left(unusable(`${file}, line ${bad + 1}: a node is a UUID`))
    : E.right(found.flatMap((node) => (E.isRight(node) && node.right !== '' ? [node.right] : [])));
};
