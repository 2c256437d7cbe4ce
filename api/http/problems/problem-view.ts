import {
  array,
  described,
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
import { MAY_HAVE_CHANGED } from './catalogue';

const LONGEST = 16_384;

/** Longest `instance`, in UTF-16 units. */
export const INSTANCE_LENGTH = 16_384;

const reason = object(
  'reason',
  {
    name: described(text(REASON_NAME_LENGTH), 'Where: a dotted path such as `overall.innerHigh`; empty: the whole.'),
    reason: described(text(REASON_LENGTH), 'What is wrong there.'),
  },
  {},
);
const violation = object(
  'violation',
  {
    action: described(oneOf('action', actions), 'The action that the user may not do.'),
    resource: described(text(64), 'The node on which; `*` for the batch itself.'),
  },
  {},
);

/** The body of every 4xx and 5xx, by RFC 9457. */
export const ProblemView = object(
  'Problem',
  {
    type: described(text(128), 'The address of the type, which explains it; programs go by it.'),
    title: described(text(128), 'The type in words; it may change.'),
    status: described(finite, 'The HTTP status, 400 to 599.', { type: 'integer' }),
    detail: described(text(LONGEST), 'What happened in this call; it may change.'),
    instance: described(text(INSTANCE_LENGTH), 'The address that was called.'),
    requestId: described(text(REQUEST_NAME_LENGTH), 'The name of the call, as in `X-Request-Id` and in the log.'),
  },
  {
    reasons: described(array(reason, MOST_REASONS), 'Every fault that was found.'),
    userId: described(text(USER_ID_LENGTH), 'The user of the token (403).'),
    violations: described(array(violation, BATCH_NODES + 1), 'Every permission that the user lacks (403).'), // one for each node, and one for the batch itself
    mayHaveChanged: described(flag, `${MAY_HAVE_CHANGED} Of 503 and 504.`),
    dependencies: described(array(text(64), 16), 'What does not answer (503 of `/readyz`).'),
  },
);
