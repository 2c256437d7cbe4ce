import { described, object, oneOf, text } from '../../../workflows/domain/codecs';
import { answerWith } from '../pipeline/respond';
import { problems, withoutToken } from '../../routes/answers';
import { VERSION } from '../../../process/version';
import type { OpenRoute } from './open-route';

/** The body of `/healthz`. */
export const HealthView = object(
  'Health',
  {
    status: described(oneOf('health', ['ok']), 'The process lives.'),
    version: described(text(64, 1), 'The version of the service, as in the OpenAPI document.'),
  },
  {},
);

/** Whether the process lives, and its version. It checks no dependency. */
export const health: OpenRoute = {
  id: 'health',
  summary: 'Whether the process lives',
  path: '/healthz',
  answers: {
    200: {
      description: 'The process lives.',
      mediaType: 'application/json',
      codec: HealthView,
      example: { status: 'ok', version: VERSION },
    },
    ...problems(...withoutToken),
  },
  answer: (ctx) => {
    answerWith(ctx, { status: 200, body: { status: 'ok', version: VERSION } });
    return Promise.resolve();
  },
};
