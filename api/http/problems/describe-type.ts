import type { TypeOf } from '../../../workflows/domain/codecs';
import type { ProblemTypeView } from './problem-type-view';
import { catalogue, type ProblemType } from './catalogue';
import { addressOf, problemExample } from './problem';

/** The documentation of the problem type `type`. */
export const describeType = (type: ProblemType): Described => {
  const { title, status, meaning, advice, headers = [], members = {} } = catalogue[type];
  return {
    type: addressOf(type),
    title,
    status,
    meaning,
    advice,
    headers,
    members: Object.entries(members).map(([name, holds]) => ({ name, meaning: holds })),
    example: problemExample(type),
  };
};

export type Described = Omit<TypeOf<typeof ProblemTypeView>, 'example'> & {
  readonly example: Readonly<Record<string, unknown>>;
};
