import * as c from '../../../workflows/domain/codecs';
import { BATCH_NODES, REQUEST_NAME_LENGTH, USER_ID_LENGTH } from '../../../workflows/domain/limits';
import { actions } from '../../ports';
import { MAY_HAVE_CHANGED } from './catalogue';

const LONGEST = 16_384;

/** Longest `instance`, in UTF-16 units. */
export const INSTANCE_LENGTH = 16_384;

const reason = c.object('Reason', {
  name: c.described(
    c.text(c.REASON_NAME_LENGTH),
    'Where: a dotted path such as `overall.innerHigh`; empty: the whole.',
  ),
  reason: c.described(c.text(c.REASON_LENGTH), 'What is wrong there.'),
});
const violation = c.object('Violation', {
  action: c.described(c.oneOf('Action', actions), 'The action that the user may not do.'),
  resource: c.described(c.text(64), 'The node on which; `*` for the batch itself.'),
});

/** The body of every 4xx and 5xx, by RFC 9457. */
export const ProblemView = c.object(
  'Problem',
  {
    type: c.described(c.text(128), 'The address of the type, which explains it; programs go by it.'),
    title: c.described(c.text(128), 'The type in words; it may change.'),
    status: c.described(c.finite, 'The HTTP status, 400 to 599.', { type: 'integer' }),
    detail: c.described(c.text(LONGEST), 'What happened in this call; it may change.'),
    instance: c.described(c.text(INSTANCE_LENGTH), 'The address that was called.'),
    requestId: c.described(c.text(REQUEST_NAME_LENGTH), 'The name of the call, as in `X-Request-Id` and in the log.'),
  },
  {
    reasons: c.described(c.array(reason, c.MOST_REASONS), 'Every fault that was found.'),
    userId: c.described(c.text(USER_ID_LENGTH), 'The user of the token (403).'),
    violations: c.described(c.array(violation, BATCH_NODES + 1), 'Every permission that the user lacks (403).'), // one for each node, and one for the batch itself
    mayHaveChanged: c.described(c.flag, `${MAY_HAVE_CHANGED} In every problem of 503 and 504.`),
    dependencies: c.described(c.array(c.text(64), 16), 'What does not answer (503 of `/readyz`).'),
  },
);
