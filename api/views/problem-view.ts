import { array, finite, flag, MOST_REASONS, object, oneOf, text } from '../../workflows/domain/codecs';
import { USER_ID_LENGTH } from '../../workflows/domain/limits';
import { actions } from '../ports';

const LONGEST = 16_384;

const reason = object('reason', { name: text(LONGEST), reason: text(LONGEST) }, {});
const violation = object('violation', { action: oneOf('action', actions), resource: text(64) }, {});

/** The body of every 4xx and 5xx, by RFC 9457. */
export const ProblemView = object(
  'Problem',
  {
    type: text(128),
    title: text(128),
    status: finite,
    detail: text(LONGEST),
    instance: text(LONGEST),
    requestId: text(64),
  },
  {
    reasons: array(reason, MOST_REASONS),
    userId: text(USER_ID_LENGTH),
    violations: array(violation, LONGEST),
    mayHaveChanged: flag,
    parts: array(text(64), 16),
  },
);
