import { uuid } from '../../workflows/domain/codecs';

const text = { type: 'string' };

export const headers = {
  'X-Request-Id': { description: 'The name of the call.', schema: text },
  ETag: { description: 'The revision of the threshold.', schema: text, example: '"3"' },
  'Retry-After': { description: 'Seconds until another try is worth it.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'The scheme to call with.', schema: text, example: 'Bearer' },
};

export const parameters = {
  nodeId: {
    name: 'nodeId',
    in: 'path',
    required: true,
    description: 'The node; answered in lower case.',
    schema: uuid.schema,
  },
  requestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'A name for the call; taken over when it is a sane one, else a new one is made.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      "A repeat of the same key and node within the node's last 256 writes changes nothing and is answered as the first.",
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETags, at most 16: the threshold must be at one of these revisions.',
    schema: text,
    example: '"3"',
  },
};

export const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The bare token is taken as well.' },
};
