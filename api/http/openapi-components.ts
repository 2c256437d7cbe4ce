import { KEY_KNOWN_MS, KEYS_KNOWN, MOST_KEYS, IDEMPOTENCY_KEY_LENGTH, REVISIONS } from '../../workflows/domain/limits';
import { TAGS_PATTERN } from './preconditions';
import { uuid } from '../../workflows/domain/codecs';

const text = { type: 'string' };

export const headers = {
  'X-Request-Id': {
    description: 'The name of the call, as in its problem, its event and the log; at most 64 characters.',
    schema: text,
  },
  ETag: {
    description: 'The revision of the threshold in quotation marks, for `If-Match`; of a file, its content.',
    schema: text,
    example: '"3"',
  },
  Age: {
    description: 'The answer comes from the read cache, and is at most so old (seconds, 0 or more).',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'When another try is worth it (seconds, 1 or more).',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'The scheme to call with.', schema: text, example: 'Bearer' },
};

/** The documentation page fills in the examples, so rarely used parameters have none. */
export const parameters = {
  nodeId: {
    name: 'nodeId',
    in: 'path',
    required: true,
    description: 'The node: a UUID of any version in either case; answered in lower case.',
    schema: uuid.schema,
    example: '6f9f0a6e-3c0b-4c55-9d0e-2b1c5a7f8d01',
  },
  requestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'A name for the call: 1 to 64 letters, digits, dots, hyphens and underscores. Any other text is passed over, and a new one made.',
    schema: text,
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Send it with the first try: a repeat of the same key and node changes nothing and is answered with the status of the first. A write that was refused is not remembered: its repeat is decided anew. It has 1 to ${IDEMPOTENCY_KEY_LENGTH} visible ASCII characters. The node remembers it for ${KEY_KNOWN_MS / 60_000} minutes or for its next ${KEYS_KNOWN} keyed writes, whichever is longer; above ${Math.floor(MOST_KEYS / (KEY_KNOWN_MS / 1_000))} keyed writes per second to it, for less.`,
    schema: { type: 'string', pattern: `^[!-~]{1,${IDEMPOTENCY_KEY_LENGTH}}$` },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: `ETags, at most ${REVISIONS}, such as \`"3"\`: the threshold must be at one of these revisions. \`*\`: one was ever set.`,
    schema: { type: 'string', pattern: TAGS_PATTERN },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: `ETags, at most ${REVISIONS}: the threshold must be at none of these revisions. \`*\`: none was ever set. To a read that has the threshold already the answer is 304.`,
    schema: { type: 'string', pattern: TAGS_PATTERN },
  },
};

export const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The bare token is taken as well.' },
};
