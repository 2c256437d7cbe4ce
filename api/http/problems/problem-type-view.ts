import { array, finite, object, text } from '../../../workflows/domain/codecs';
import { ProblemView } from './problem-view';

const LONGEST = 1_024;

const member = object('member', { name: text(64), meaning: text(LONGEST) }, {});

/** The documentation of a problem type, as JSON. */
export const ProblemTypeView = object(
  'ProblemType',
  {
    type: text(128),
    title: text(128),
    status: finite,
    meaning: text(LONGEST),
    advice: text(LONGEST),
    headers: array(text(64), 16),
    members: array(member, 16),
    example: ProblemView,
  },
  {},
);
