import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Reason } from '../../workflows/domain/codecs';
import { DEEPEST_BODY, isTooDeep } from './is-too-deep';
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
 * Errors: bytes that are no UTF-8, nest too deep, or are no JSON. Properties named twice and infinite numbers are faults of the content, so
 *         that they are told together with what its codec finds.
 */
export const readJson = (bytes: Uint8Array): E.Either<Reason, Content> =>
  pipe(
    E.tryCatch(
      () => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      () => ({ name: '', reason: 'must be UTF-8' }),
    ),
    E.filterOrElse(
      (text) => !isTooDeep(text),
      (): Reason => ({ name: '', reason: `must nest at most ${DEEPEST_BODY} levels` }),
    ),
    E.chain((text) =>
      E.tryCatch(
        () => ({ text, value: JSON.parse(text) as unknown }),
        () => ({ name: '', reason: text.trim() === '' ? 'is required' : 'must be JSON' }),
      ),
    ),
    E.map(({ text, value }) => ({ value, faults: [...textFaults(text), ...numberFaults(value)] })),
  );
