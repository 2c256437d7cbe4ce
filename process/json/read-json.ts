import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { MOST_REASONS, type Reason } from '../../workflows/domain/codecs';
import { membersIn, textFaults } from './scan-json';

/** A value read from JSON, and its faults under any schema. */
export interface Content {
  readonly value: unknown;
  readonly faults: ReadonlyArray<Reason>;
}

/**
 * Reads `bytes` as JSON in UTF-8; a leading byte order mark is ignored (RFC 8259, section 8.1).
 *
 * Errors: too many levels or members, no UTF-8, or no JSON. Duplicate properties and infinite numbers are faults of the
 *         content, so that they are reported together with those of its codec.
 */
export const readJson = (bytes: Uint8Array): E.Either<Reason, Content> =>
  pipe(
    membersIn(bytes),
    E.chain((written) => parseJson(bytes, written)),
  );

/** The second half of `readJson`: `written`: the number of members of all objects in `bytes`. */
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

/** JSON.parse keeps the last of duplicate names: an equal number of members shows that there are none. */
const faultsOf = (text: string, written: number, value: unknown): ReadonlyArray<Reason> => {
  const { members, isFinite } = censusOf(value);
  return [...(members === written ? [] : textFaults(text)), ...(isFinite ? [] : numberFaults(value))];
};

/** The result of a walk through a whole value. */
interface Census {
  /** The number of members of all its objects. */
  members: number;
  /** Whether every number in it is finite: JSON.parse reads `1e999` as infinite. */
  isFinite: boolean;
}

/** Counts `value`, which comes from JSON. Without paths, which cost ten times as much as parsing. */
export const censusOf = (value: unknown): Census => {
  const census = { members: 0, isFinite: true };
  visit(value, census);
  return census;
};

const visit = (value: unknown, census: Census): void => {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) census.isFinite = false;
  } else if (Array.isArray(value)) {
    for (const member of value) visit(member, census);
  } else if (typeof value === 'object' && value !== null) {
    const members: ReadonlyArray<unknown> = Object.values(value);
    census.members += members.length;
    for (const member of members) visit(member, census);
  }
};

/** The numbers in `value` that JSON reads as infinite (such as `1e999`), by their dotted path; as many as an answer lists. */
const numberFaults = (value: unknown): ReadonlyArray<Reason> => {
  const faults: Reason[] = [];
  const path: Array<string | number> = [];
  const visit = (place: unknown): void => {
    if (faults.length === MOST_REASONS) return;
    if (typeof place === 'number' && !Number.isFinite(place)) {
      faults.push({ name: path.join('.'), reason: 'must be a finite number' });
    } else if (Array.isArray(place)) {
      for (const [index, member] of place.entries()) visitMember(index, member);
    } else if (typeof place === 'object' && place !== null) {
      for (const [name, member] of Object.entries(place)) visitMember(name, member);
    }
  };
  const visitMember = (name: string | number, member: unknown): void => {
    path.push(name);
    visit(member);
    path.pop();
  };
  visit(value);
  return faults;
};
