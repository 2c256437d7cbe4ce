import { problemExample } from '../../http/problems/problem';
import { catalogue, problemTypes, type ProblemType } from '../../http/problems/catalogue';
import { reference } from './schemas';

type Members = Readonly<Record<string, unknown>>;

/** An example of every type of problem, by its name. */
export const problemExamples: Readonly<Record<string, Members>> = Object.fromEntries(
  problemTypes.map((type) => [type, { summary: catalogue[type].title, value: problemExample(type) }]),
);

/** References to the examples of `types`. */
export const examplesOf = (types: ReadonlyArray<ProblemType>): Members =>
  Object.fromEntries(types.map((type) => [type, reference('examples', type)]));
