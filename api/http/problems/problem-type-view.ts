import { array, described, finite, object, text } from '../../../workflows/domain/codecs';
import { ProblemView } from './problem-view';

const LONGEST = 1_024;

const member = object(
  'member',
  { name: described(text(64), 'The name of the member.'), meaning: described(text(LONGEST), 'What it holds.') },
  {},
);

/** The documentation of a problem type, as JSON. */
export const ProblemTypeView = object(
  'ProblemType',
  {
    type: described(text(128), 'The address of the type, as in the problem.'),
    title: described(text(128), 'The type in words.'),
    status: described(finite, 'The HTTP status that it comes with, 400 to 599.', { type: 'integer' }),
    meaning: described(text(LONGEST), 'When it is answered.'),
    advice: described(text(LONGEST), 'What a caller should do.'),
    headers: described(array(text(64), 16), 'Names of the headers that come with it.'),
    members: described(array(member, 16), 'Members besides those of every problem.'),
    example: described(ProblemView, 'A problem of this type.'),
  },
  {},
);
