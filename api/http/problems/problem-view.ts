import {
  array,
  finite,
  flag,
  MOST_REASONS,
  object,
  oneOf,
  REASON_LENGTH,
  REASON_NAME_LENGTH,
  text,
} from '../../../workflows/domain/codecs';
import { BATCH_NODES, REQUEST_NAME_LENGTH, USER_ID_LENGTH } from '../../../workflows/domain/limits';
import { actions } from '../../ports';

const LONGEST = 16_384;

/** Longest `instance`, in UTF-16 units. */
export const INSTANCE_LENGTH = 16_384;

const reason = object('reason', { name: text(REASON_NAME_LENGTH), reason: text(REASON_LENGTH) }, {});
const violation = object('violation', { action: oneOf('action', actions), resource: text(64) }, {});

/** The body of every 4xx and 5xx, by RFC 9457. */
export const ProblemView = object(
  'Problem',
  {
    type: text(128),
    title: text(128),
    status: finite,
    detail: text(LONGEST),
    instance: text(INSTANCE_LENGTH),
    requestId: text(REQUEST_NAME_LENGTH),
  },
  {
    reasons: array(reason, MOST_REASONS),
    userId: text(USER_ID_LENGTH),
    violations: array(violation, BATCH_NODES + 1), // one for each node, and one for the batch itself
    mayHaveChanged: flag,
    dependencies: array(text(64), 16),
  },
);
