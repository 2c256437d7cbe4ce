import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import { isRecord } from '../../../workflows/domain/codecs';
import { readJson } from '../../../process/json/read-json';
import type { NoAnswer } from './http-client';
import type { Question } from './questions';

/**
 * The decisions of an answer: `count` booleans. Other members are ignored.
 *
 * Errors: an ambiguous answer is refused: no JSON, a duplicate member, a decision that is no boolean, or another number of
 *         decisions than requested.
 */
export const decisionsIn = (
  endpoint: Question['endpoint'],
  count: number,
  bytes: Uint8Array,
): E.Either<NoAnswer, ReadonlyArray<boolean>> =>
  pipe(
    O.fromEither(readJson(bytes)),
    O.filter(({ faults }) => faults.length === 0),
    O.chain(({ value }) => (endpoint === 'evaluation' ? O.some([value]) : listIn(value))),
    O.filter(({ length }) => length === count),
    O.chain(O.traverseArray(decisionIn)),
    E.fromOption(() => ({ outcome: 'malformed', reason: `answered without ${count} clear decisions` })),
  );

const listIn = (value: unknown): O.Option<ReadonlyArray<unknown>> => {
  const listed: unknown = isRecord(value) ? value['evaluations'] : undefined;
  return Array.isArray(listed) ? O.some(listed) : O.none;
};

const decisionIn = (value: unknown): O.Option<boolean> =>
  isRecord(value) && typeof value['decision'] === 'boolean' ? O.some(value['decision']) : O.none;
