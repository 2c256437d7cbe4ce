import { fc } from '@fast-check/vitest';

type Path = ReadonlyArray<string>;

const wrong: ReadonlyArray<unknown> = [
  null, true, -1, 0.5, 1e308, 2 ** 53, '', 'x', '\0', '\ud800', '__proto__', 'x'.repeat(1_025), [], {}, [[]], { length: 1 },
]; // prettier-ignore

/** `value` with one thing about it changed: a place gets another value, or goes, or a member is put beside it. */
export const mutated = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.constantFrom(...pathsOf(value, [])), fc.constantFrom(...wrong), fc.constantFrom('put', 'remove', 'add'))
    .map(([path, other, how]) => changed(value, path, how, other));

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const pathsOf = (value: unknown, path: Path): ReadonlyArray<Path> => [
  path,
  ...(isContainer(value) ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name])) : []),
];

const changed = (value: unknown, [name, ...rest]: Path, how: string, other: unknown): unknown => {
  if (name === undefined || !isContainer(value)) {
    return how === 'add' && isContainer(value) && !Array.isArray(value) ? { ...value, stranger: other } : other;
  }
  const entries = Object.entries(value).flatMap(([at, member]): ReadonlyArray<readonly [string, unknown]> => {
    if (at !== name) return [[at, member]];
    return rest.length === 0 && how === 'remove' ? [] : [[at, changed(member, rest, how, other)]];
  });
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
};
