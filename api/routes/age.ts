import type { Found } from '../ports';

/** The header `Age` (RFC 9111, section 5.1) of an answer with a delay of up to `age` seconds; none for an answer of the node itself. */
export const ageOf = (age: number | undefined): Readonly<Record<string, string>> =>
  age === undefined ? {} : { Age: String(Math.floor(age)) };

/** The greatest age of several reads. */
export const oldestOf = (found: ReadonlyMap<string, Found<unknown>>): number | undefined => {
  const ages = [...found.values()].flatMap(({ age }) => (age === undefined ? [] : [age]));
  return ages.length === 0 ? undefined : Math.max(...ages);
};
