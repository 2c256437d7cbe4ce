import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Reason } from '../../workflows/domain/codecs';
import { censusOf } from './census';
import { membersIn } from './structure';
import { numberFaults } from './number-faults';
import { textFaults } from './text-faults';

/** A value read from JSON, and what is wrong with it whatever it was meant to be. */
export interface Content {
  readonly value: unknown;
  readonly faults: ReadonlyArray<Reason>;
}

/**
 * Reads `bytes` as JSON in UTF-8; a byte order mark before it is passed over (RFC 8259, section 8.1).
 *
 * Errors: bytes that have too many levels or members, are no UTF-8, or are no JSON. Properties named twice and infinite
 *         numbers are faults of the content, so that they are told together with what its codec finds.
 */
export const readJson = (bytes: Uint8Array): E.Either<Reason, Content> =>
  pipe(
    membersIn(bytes),
    E.chain((written) => parseJson(bytes, written)),
  );

/** The second half of `readJson`: `written` is how many members the objects in `bytes` have together. */
export const parseJson = (bytes: Uint8Array, written: number): E.Either<Reason, Content> =>
  pipe(
    E.Do,
    E.bind('text', () =>
      E.tryCatch(
        () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
        (): Reason => ({ name: '', reason: 'must be UTF-8' }),
      ),
    ),
    E.bind('value', ({ text }) =>
      E.tryCatch(
        () => JSON.parse(text) as unknown,
        (): Reason => ({ name: '', reason: text.trim() === '' ? 'is required' : 'must be JSON' }),
      ),
    ),
    E.map(({ text, value }) => ({ value, faults: faultsOf(text, written, value) })),
  );

/** JSON.parse keeps the last of those named alike: where as many members are there as were written, none is. */
const faultsOf = (text: string, written: number, value: unknown): ReadonlyArray<Reason> => {
  const { members, isFinite } = censusOf(value);
  return [...(members === written ? [] : textFaults(text)), ...(isFinite ? [] : numberFaults(value))];
};
