import { fc } from '@fast-check/vitest';
import type { Route } from '../../../api/contract/route';
import { operations } from '../arbitraries/command';
import { anyJson, fromSchema } from '../arbitraries/from-schema';
import { measurements } from '../arbitraries/measurement';
import { thresholds } from '../arbitraries/threshold';
import { OTHER_POINT, POINT } from './callers';

const lists = fc.array(fc.constantFrom(POINT, OTHER_POINT), { maxLength: 5 });

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Bodies that the route takes, but for rules between nodes and over time. */
export const validBodies = ({ id, body }: Route): fc.Arbitrary<unknown> => {
  switch (id) {
    case 'setThreshold':
      return thresholds.map(asJson);
    case 'patchThreshold':
      return operations.map(asJson);
    case 'updateAlarmStatus':
      return measurements.map(asJson);
    case 'getThresholds':
      return lists.map((nodeIDs) => ({ nodeIDs }));
    default:
      return body === undefined ? fc.constant(undefined) : fromSchema(body.schema).map(asJson);
  }
};

type Path = ReadonlyArray<string>;

const wrong: ReadonlyArray<unknown> = [
  null, true, 0, -0, -1, 0.5, 1e308, 5e-324, 2 ** 53, '', 'x', '0', ' ', '\0', '\ud800', '__proto__', 'constructor', 'x'.repeat(2_000),
  [], {}, [[]], [null], { length: 1 }, { toString: 1 }, '2026-13-01T00:00:00Z', '/overall/-', '~',
]; // prettier-ignore

/** Names of members that no body has. */
const strangers = ['stranger', '__proto__', 'constructor', 'hasOwnProperty', 'length', '', '0'];

/** `value` with one thing about it changed: a place gets another value, or goes, or a member is put beside it. */
export const mutated = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fc.constantFrom(...pathsOf(value, [])),
      fc.oneof(fc.constantFrom(...wrong), anyJson),
      fc.constantFrom('put', 'remove', ...strangers),
    )
    .map(([path, other, how]) => changed(value, path, how, other));

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const pathsOf = (value: unknown, path: Path): ReadonlyArray<Path> => [
  path,
  ...(isContainer(value) ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name])) : []),
];

const changed = (value: unknown, [name, ...rest]: Path, how: string, other: unknown): unknown => {
  if (name === undefined || !isContainer(value)) {
    if (!strangers.includes(how) || !isContainer(value) || Array.isArray(value)) return other;
    return Object.fromEntries([...Object.entries(value), [how, other]]);
  }
  const entries = Object.entries(value).flatMap(([at, member]): ReadonlyArray<readonly [string, unknown]> => {
    if (at !== name) return [[at, member]];
    return rest.length === 0 && how === 'remove' ? [] : [[at, changed(member, rest, how, other)]];
  });
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
};
