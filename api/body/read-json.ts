import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Reason } from '../../workflows/domain/codecs';
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
 * Errors: bytes that are no UTF-8, or no JSON. Properties named twice and infinite numbers are faults of the content, so
 *         that they are told together with what its codec finds.
 */
export const readJson = (bytes: Uint8Array): E.Either<Reason, Content> =>
  pipe(
    E.tryCatch(
      () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      () => ({ name: '', reason: 'must be UTF-8' }),
    ),
    E.chain((text) =>
      E.tryCatch(
        () => ({ text, value: JSON.parse(text) as unknown }),
        () => ({ name: '', reason: text.trim() === '' ? 'is required' : 'must be JSON' }),
      ),
    ),
    E.map(({ text, value }) => {
      const faults = textFaults(text);
      const tooDeep = faults.some(({ name }) => name === '');
      return { value, faults: tooDeep ? faults : [...faults, ...numberFaults(value)] };
    }),
  );
